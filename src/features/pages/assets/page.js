// Pages work without this script. It makes copy buttons work, shows times as relative, filters the API
// reference, and keeps live pages up to date: after an event, it fetches the page again and replaces only the
// parts that differ. So a live page always equals a reloaded page.
const COPIED_MS = 2_000;

document.addEventListener("click", ({ target }) => {
	const button = target.closest(".copy button");
	if (button !== null) copy(button);
});

async function copy(button) {
	const field = button.previousElementSibling;
	getSelection().selectAllChildren(field);
	try {
		await navigator.clipboard.writeText(field.textContent);
	} catch {
		// Browsers have `navigator.clipboard` only in secure contexts, such as pages with `https:`.
		document.execCommand("copy");
	}
	button.firstChild.data = "Copied";
	setTimeout(() => {
		button.firstChild.data = "Copy";
	}, COPIED_MS);
}

/** The maximum age of a time that is shown as relative. Future times (if the clocks differ) stay absolute. */
const AGO_MS = 12 * 3_600_000;
const TICK_MS = 15_000;
// Not `Intl.RelativeTimeFormat`, because creating one blocks the page for 18 to 79 ms.
const ago = (count, unit) => `${count} ${unit}${count === 1 ? "" : "s"} ago`;

function tick() {
	for (const time of document.querySelectorAll("time.ago")) {
		const ms = Date.now() - Date.parse(time.dateTime);
		if (ms < -TICK_MS || ms > AGO_MS) continue;
		const minutes = Math.floor(Math.max(0, ms) / 60_000);
		const text =
			minutes === 0
				? "just now"
				: minutes < 60
					? ago(minutes, "minute")
					: ago(Math.floor(minutes / 60), "hour");
		if (time.textContent !== text) time.textContent = text;
	}
}

if (document.querySelector("time.ago, #latest") !== null) {
	tick();
	setInterval(tick, TICK_MS);
}

const { events } = document.body.dataset;
const PAUSE_MS = 500;
const MAX_RETRY_MS = 30_000;
/** How often a visible page is fetched without an event, because the end of an activity, for example, has none. */
const REFRESH_MS = 60_000;
let source;
let waiting = false;
let retries = 0;

function connect() {
	source = new EventSource(events);
	// Fetches the page again, because events may have happened before the stream was opened or while it was
	// disconnected.
	source.onopen = () => {
		retries = 0;
		refresh();
	};
	source.onerror = () => {
		// Browsers reconnect automatically, except after a response that is not an event stream.
		if (source.readyState !== EventSource.CLOSED) return;
		setTimeout(show, Math.min(MAX_RETRY_MS, 1_000 * 2 ** retries++));
	};
	const types = new URLSearchParams(events.split("?")[1]).get("types").split(",");
	for (const type of [...types, "reset"]) source.addEventListener(type, refresh);
}

/** Opens the stream while the page is visible, and closes it while the page is hidden. */
function show() {
	source?.close();
	if (document.visibilityState === "visible") connect();
}

function refresh() {
	// A hidden page is fetched when it becomes visible.
	if (waiting || document.visibilityState !== "visible") return;
	waiting = true;
	setTimeout(() => {
		waiting = false;
		// XMLHttpRequest parses the document. Assigning its HTML to an element is not possible, because trusted
		// types forbid it.
		const request = new XMLHttpRequest();
		request.open("GET", location.href);
		request.setRequestHeader("Accept", "text/html");
		request.responseType = "document";
		request.onload = () => {
			if (request.status === 200) merge(request.response);
			else if (request.status === 404) location.reload();
		};
		request.send();
	}, PAUSE_MS);
}

function merge(fresh) {
	// The session at /me has ended, so this is the sign-in page.
	if (fresh.querySelector("[data-live]") === null) return location.reload();
	const focused = document.activeElement;
	const holder = focused.closest("[id]");
	document.documentElement.dataset.light = fresh.documentElement.dataset.light;
	for (const region of document.querySelectorAll("[data-live]")) {
		const successor = fresh.getElementById(region.id);
		if (successor && !region.isEqualNode(successor)) update(region, successor);
	}
	tick();
	if (holder === null || document.activeElement === focused) return;
	// The focused element has been replaced, so the new element gets the focus.
	const href = CSS.escape(focused.getAttribute("href") ?? "");
	document.querySelector(`#${CSS.escape(holder.id)} [href="${href}"]`)?.focus({ preventScroll: true });
}

/** Updates a region. Keeps unchanged nodes if none was added or removed. */
function update(region, fresh) {
	const nodes = [...fresh.childNodes];
	if (nodes.length !== region.childNodes.length) return region.replaceChildren(...nodes);
	for (const [at, old] of [...region.childNodes].entries()) {
		if (!old.isEqualNode(nodes[at])) old.replaceWith(nodes[at]);
	}
}

if (events !== undefined) {
	document.addEventListener("visibilitychange", show);
	show();
	setInterval(refresh, REFRESH_MS);
}

const filter = document.querySelector("#filter");

/** Shows only the operations whose method, path or summary contains the entered text, and their groups. */
filter?.addEventListener("input", () => {
	const text = filter.value.trim().toLowerCase();
	const operations = [...document.querySelectorAll(".operation")];
	for (const operation of operations) {
		const [name, summary] = operation.querySelectorAll("h3, p");
		const about = `${name.textContent} ${summary.textContent}`.toLowerCase();
		operation.hidden = !about.includes(text);
	}
	for (const link of document.querySelectorAll(".index li a")) {
		const operation = document.getElementById(link.hash.slice(1));
		link.parentElement.hidden = operation.hidden;
	}
	for (const group of document.querySelectorAll(".group")) {
		const shown = ".operation:not([hidden]), li:not([hidden])";
		group.hidden = group.querySelector(shown) === null;
	}
	const found = operations.filter(({ hidden }) => !hidden).length;
	filter.nextElementSibling.textContent = `${found} of ${operations.length}`;
});

// Keeps a page up to date: when something happens that it shows, the page is read anew and what differs is put in
// place. So what is seen live is always what a reload would show, and nothing is ever added to what is there.
const { events, types } = document.body.dataset;
const PAUSE_MS = 500;
const MAX_RETRY_MS = 30_000;
let source;
let waiting = false;
let retries = 0;

function connect() {
	source = new EventSource(events);
	// What happened before the stream began, or while it was lost, is on the page that is read now.
	source.onopen = () => {
		retries = 0;
		refresh();
	};
	source.onerror = () => {
		// The browser tries again by itself, but not after an answer that is no stream.
		if (source.readyState !== EventSource.CLOSED) return;
		setTimeout(show, Math.min(MAX_RETRY_MS, 1_000 * 2 ** retries++));
	};
	for (const type of types.split(" ")) source.addEventListener(type, refresh);
}

/** Whoever looks at another window needs no stream. */
function show() {
	source?.close();
	if (document.visibilityState === "visible") connect();
}

function refresh() {
	if (waiting) return;
	waiting = true;
	setTimeout(() => {
		waiting = false;
		// It gives a document without markup being written as a text, which trusted types forbid.
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
	const focused = document.activeElement;
	const item = focused.closest("[data-live] > [id]");
	document.documentElement.dataset.light = fresh.documentElement.dataset.light;
	for (const region of document.querySelectorAll("[data-live]")) {
		const made = fresh.getElementById(region.id);
		if (made !== null && !region.isEqualNode(made)) renew(region, made);
	}
	if (item === null || document.activeElement === focused) return;
	// What had the focus was written anew: its successor gets it.
	const href = CSS.escape(focused.getAttribute("href") ?? "");
	document
		.querySelector(`#${CSS.escape(item.id)} [href="${href}"]`)
		?.focus({ preventScroll: true });
}

/** What stays is not touched, as it would lose the focus and begin its motions anew. */
function renew(region, made) {
	const known = new Map([...region.children].map((one) => [one.id, one]));
	const before = [...region.childNodes];
	const children = [...made.childNodes].map((child, at) => {
		const old = child.id ? known.get(child.id) : before[at];
		return old?.isEqualNode(child) ? old : child;
	});
	for (const old of before) if (!children.includes(old)) old.remove();
	for (const [at, child] of children.entries()) {
		const next = region.childNodes[at] ?? null;
		if (next === child) continue;
		region.insertBefore(child, next);
		// Not before it is in the page: its motion would be another document's, and keep that.
		if (child.id && !known.has(child.id)) appear(child);
	}
	for (const { name, value } of made.attributes) {
		region.setAttribute(name, value);
	}
}

function appear(element) {
	if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
	element.animate({ opacity: [0, 1] }, 900);
}

document.addEventListener("visibilitychange", show);
show();

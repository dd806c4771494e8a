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
	document.documentElement.dataset.light = fresh.documentElement.dataset.light;
	for (const region of document.querySelectorAll("[data-live]")) {
		const made = fresh.getElementById(region.id);
		if (made === null || region.isEqualNode(made)) continue;
		const known = new Map([...region.children].map((one) => [one.id, one]));
		const children = [...made.childNodes].map((child) => {
			const old = child.id ? known.get(child.id) : undefined;
			if (old?.isEqualNode(child)) return old;
			if (child.id && !old) appear(child);
			return child;
		});
		region.replaceChildren(...children);
		for (const { name, value } of made.attributes) {
			region.setAttribute(name, value);
		}
	}
	// An element that was moved has lost the focus.
	if (focused.isConnected) focused.focus({ preventScroll: true });
}

function appear(element) {
	if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
	element.animate({ opacity: [0, 1] }, 900);
}

document.addEventListener("visibilitychange", show);
show();

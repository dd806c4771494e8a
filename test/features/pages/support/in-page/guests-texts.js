// Evaluated in a page: checks that the texts of guests are shown as text, and returns one line for each fault.
// biome-ignore lint/correctness/noUnusedVariables: the tests call it
function lookAtTexts(written) {
	const TAGS =
		"html head meta title link style script body a header nav section svg path defs g circle ellipse rect pattern stop ul ol li main h1 h2 h3 p span div bdi q code time dl dt dd form fieldset legend button input textarea label img pre figure figcaption blockquote details summary footer";
	const ATTRIBUTES =
		"lang data-light data-events data-types data-until data-live charset name content media property rel href type title class id aria-label aria-labelledby aria-current aria-hidden aria-live role tabindex dir datetime src alt height method action value autocomplete readonly hidden for required spellcheck rows maxlength focusable width viewbox preserveaspectratio d fill stroke stroke-width stroke-linecap stroke-opacity fill-opacity fill-rule transform cx cy r rx ry x x2 y2 patternunits offset stop-color";
	/** How far a text may extend beyond its block, in pixels. */
	const BEYOND = 9;
	const wrong = [];
	const all = (selector) => [...document.querySelectorAll(selector)];
	const short = (text) => JSON.stringify(text.slice(0, 60));

	const places = all(".said, .name");
	const shown = new Set(places.map(({ textContent }) => textContent));
	for (const text of written) {
		// HTML parsers replace CR LF and CR by LF.
		const read = text.replace(/\r\n?/g, "\n");
		if (!shown.has(read)) wrong.push(`not shown: ${short(text)}`);
	}

	const tags = new Set(TAGS.split(" "));
	tags.add("linearGradient");
	const attributes = new Set(ATTRIBUTES.split(" "));
	for (const one of all("*")) {
		if (!tags.has(one.localName)) wrong.push(`element ${one.localName}`);
		for (const { name } of one.attributes) {
			if (!attributes.has(name.toLowerCase())) wrong.push(`attribute ${name}`);
		}
	}
	for (const { children } of places) {
		if (children.length > 0) wrong.push("an element in a guest's text");
	}
	if (window.pwned !== undefined) wrong.push(`ran ${window.pwned}`);

	for (const link of all("a")) {
		const to = link.getAttribute("href");
		if (/^[/#](?!\/)/.test(to)) continue;
		if (link.protocol !== "https:") wrong.push(`leads to ${short(to)}`);
		if (link.rel !== "nofollow noreferrer ugc") wrong.push(`rel ${link.rel}`);
	}

	for (const place of places) {
		const isRightToLeft = /^[\u0590-\u05ff\u0600-\u06ff]/.test(place.textContent);
		const { direction } = getComputedStyle(place);
		if (isRightToLeft && direction !== "rtl") {
			wrong.push(`left to right: ${short(place.textContent)}`);
		}
		if (!isInPlace(place)) {
			wrong.push(`out of place: ${short(place.textContent)}`);
		}
	}

	/** Returns whether a text is clipped to a block and, unless it has stacked marks, fits into the width of the block. */
	function isInPlace(place) {
		let block = place;
		while (!isClip(block)) {
			block = block.parentElement;
			if (block === null || block.localName === "main") return false;
		}
		// Stacked combining marks cannot be broken, so they may be wider than their block.
		if (/\p{M}{5}/u.test(place.textContent)) return true;
		const range = document.createRange();
		range.selectNodeContents(place);
		const text = range.getBoundingClientRect();
		const around = block.getBoundingClientRect();
		return text.left >= around.left - BEYOND && text.right <= around.right + BEYOND;
	}

	function isClip(element) {
		const { overflowX, overflowY, display } = getComputedStyle(element);
		return overflowX === "clip" && overflowY === "clip" && display !== "inline";
	}

	const unseen =
		/[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u200c\u200d]{2}/u;
	for (const [selector, most] of [
		["title, meta[property='og:title']", 80],
		["meta[name=description], meta[property='og:description']", 180],
	]) {
		for (const one of all(selector)) {
			const text = one.content ?? one.textContent;
			if (unseen.test(text)) wrong.push(`${one.localName} ${short(text)}`);
			if ([...text].length > most) wrong.push(`long ${one.localName}`);
		}
	}
	return wrong;
}

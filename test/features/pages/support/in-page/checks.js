// Evaluated in a page: checks what is displayed, and returns one line for each fault.
// biome-ignore lint/correctness/noUnusedVariables: the tests call it
const checks = (() => {
	const all = (selector) => [...document.querySelectorAll(selector)];
	// The content of a closed `details` element has boxes, but is not visible.
	const shown = (element) => element.getClientRects().length > 0 && element.checkVisibility();
	const named = (element) =>
		`${element.tagName.toLowerCase()} ${(element.id || element.textContent).slice(0, 40)}`;
	// Excludes the picture of the house. It is a link for pointers only, because the keyboard reaches each guest by
	// the guest's own link.
	const interactive =
		"a[href]:not([aria-hidden] *), button, input:not([type=hidden], [hidden]), textarea, summary, [tabindex='0']";

	/** Checks the headings (one h1, no skipped level), the landmarks, and that ids are unique. */
	function structure() {
		const wrong = [];
		const levels = all("h1, h2, h3, h4, h5, h6").map((heading) => Number(heading.tagName[1]));
		if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) {
			wrong.push(`headings ${levels.slice(0, 5)}`);
		}
		for (const [at, level] of levels.entries()) {
			if (level > (levels[at - 1] ?? 0) + 1) wrong.push(`gap before h${level}`);
		}
		for (const landmark of ["header", "main", "footer"]) {
			if (all(`body > ${landmark}`).length !== 1) wrong.push(`no ${landmark}`);
		}
		if (all("header nav").length !== 1) wrong.push("no nav");
		for (const name of ["head title", "meta[name=description]"]) {
			if (all(name).length !== 1) wrong.push(`no ${name}`);
		}
		const ids = all("[id]").map(({ id }) => id);
		if (new Set(ids).size !== ids.length) wrong.push("an id twice");
		return wrong;
	}

	/** Checks that neither the page nor a part of it scrolls horizontally. */
	function scrolling() {
		const { scrollWidth, clientWidth } = document.documentElement;
		const wrong = [];
		if (scrollWidth > clientWidth) wrong.push(`${scrollWidth} px wide`);
		for (const one of all("body *")) {
			const { overflowX } = getComputedStyle(one);
			if (["auto", "scroll"].includes(overflowX)) wrong.push(`scrolls: ${named(one)}`);
		}
		return wrong;
	}

	let stops = [];

	/** Records each element that gets the focus from now on, and returns how many elements should get it. */
	function followFocus() {
		stops = [];
		document.addEventListener("focusin", ({ target }) => {
			const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(target);
			const isMarked =
				outlineStyle === "solid" &&
				Number.parseFloat(outlineWidth) >= 2 &&
				contrast(outlineColor, groundOf(target)) >= 3;
			const { left, right, width } = target.getBoundingClientRect();
			const isInside = width > 0 && left >= 0 && right <= innerWidth && shown(target);
			stops.push({ target, isMarked, isInside });
		});
		return all(interactive).filter(shown).length;
	}

	/** Returns the elements that did not get the focus, and those whose focus was not visible. */
	function focus() {
		// Tab focuses only one of the radio buttons with the same name.
		const groupOf = (one) => (one.type === "radio" ? one.name : one);
		const reached = new Set(stops.map(({ target }) => groupOf(target)));
		return [
			...all(interactive)
				.filter((one) => shown(one) && !reached.has(groupOf(one)))
				.map((one) => `not reached: ${named(one)}`),
			...stops.flatMap(({ target, isMarked, isInside }) => [
				...(isMarked ? [] : [`no outline: ${named(target)}`]),
				...(isInside ? [] : [`focused out of sight: ${named(target)}`]),
			]),
		];
	}

	function groundOf(element) {
		for (let one = element; one !== null; one = one.parentElement) {
			const { backgroundColor } = getComputedStyle(one);
			// An outline is drawn outside its element, on the background of an ancestor.
			if (one !== element && !/, 0\)$/.test(backgroundColor)) {
				return backgroundColor;
			}
		}
		return "rgb(255, 255, 255)";
	}

	/** Returns the contrast of two colours (WCAG 2). */
	function contrast(one, other) {
		const [low, high] = [one, other].map(luminance).sort((a, b) => a - b);
		return (high + 0.05) / (low + 0.05);
	}

	function luminance(colour) {
		const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => {
			const value = part / 255;
			return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	}

	return { structure, scrolling, followFocus, focus };
})();

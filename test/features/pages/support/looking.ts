import { source as axe } from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { once } from "../../../../src/core/lib/once.ts";
import { openBrowser } from "./browser.ts";
import checks from "./in-page/checks.js" with { type: "text" };

/** A way in which a page is displayed. */
export interface Look {
	readonly colorScheme: "light" | "dark";
	readonly width: number;
}

/** Both colour schemes, each on a small and on a large screen. */
export const looks = {
	small: { colorScheme: "light", width: 320 },
	smallDark: { colorScheme: "dark", width: 320 },
	large: { colorScheme: "light", width: 1440 },
	largeDark: { colorScheme: "dark", width: 1440 },
} as const satisfies Record<string, Look>;

/** Changes how a page is displayed, without loading it again. */
async function lookAt(page: Page, look: Look): Promise<void> {
	await page.setViewportSize({ width: look.width, height: 800 });
	await page.emulateMedia({ colorScheme: look.colorScheme });
}

/** Runs a check of in-page/checks.js in a page, and returns the faults. */
export async function check(page: Page, name: "structure" | "scrolling"): Promise<string[]> {
	return page.evaluate(`(() => {${checks}; return checks.${name}()})()`);
}

/** The number of operations in /docs that axe checks. All operations have the same parts, so 3 suffice. */
const OPERATIONS = 3;

/**
 * Opens a page in which axe checks copies of other pages. It finds the same as in the pages, and is loaded and
 * compiled only once.
 */
const openCopies = once(async () => {
	const { context } = await openBrowser();
	const page = await context.newPage();
	await page.evaluate(axe);
	return page;
});

/**
 * Returns the faults of a page: whether it scrolls sideways on a small or a large screen, and what axe finds
 * in a copy of it in the looks `axeIn`. In the dark scheme, axe checks only the contrast.
 */
export async function inEveryLook(page: Page, axeIn: readonly Look[]): Promise<string[]> {
	const found: string[] = [];
	// The layout is the same in both colour schemes, so scrolling is checked only in the light one.
	for (const look of [looks.small, looks.large]) {
		await lookAt(page, look);
		found.push(...(await check(page, "scrolling")));
	}
	if (axeIn.length === 0) return found;
	await page.evaluate(
		`for (const one of [...document.querySelectorAll("article.operation")].slice(${OPERATIONS})) one.remove()`,
	);
	const copies = await openCopies();
	await copies.setContent((await page.content()).replace(/<script.*?<\/script>/gs, ""));
	for (const look of axeIn) {
		await lookAt(copies, look);
		const rules = look.colorScheme === "dark" ? ["color-contrast"] : null;
		found.push(...(await copies.evaluate<string[]>(runOf(rules))));
	}
	return found;
}

function runOf(runOnly: readonly string[] | null): string {
	const options = { resultTypes: ["violations"], ...(runOnly && { runOnly }) };
	return `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
		violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 120)))`;
}

/**
 * Moves the focus through the page with the Tab key. Returns the elements that are not reached, or have no
 * visible focus.
 */
export async function tabThrough(page: Page, look: Look): Promise<string[]> {
	await lookAt(page, look);
	const count = await page.evaluate<number>(`${checks}; globalThis.followed = checks; checks.followFocus()`);
	// Presses Tab once for each element that can have the focus. Each press moves the focus to the next one.
	for (let at = 0; at < count; at++) await page.keyboard.press("Tab");
	return page.evaluate("followed.focus()");
}

/** Returns a list that collects console messages, errors, and requests to other origins. */
export async function watch(context: BrowserContext, url: string): Promise<string[]> {
	const heard: string[] = [];
	context.on("console", (message) => {
		// The browser reports a missing page, which is among the tested pages, like a missing resource.
		const isPageItself =
			message.text().startsWith("Failed to load resource") &&
			message.location().url === message.page()?.url();
		if (!isPageItself) heard.push(`console: ${message.text()}`);
	});
	context.on("weberror", (failed) => heard.push(`${failed.error()}`));
	context.on("request", (request) => {
		if (new URL(request.url()).origin !== new URL(url).origin) {
			heard.push(`request: ${request.url()}`);
		}
	});
	await context.addInitScript(
		`document.addEventListener("securitypolicyviolation", (event) =>
			console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample));`,
	);
	return heard;
}

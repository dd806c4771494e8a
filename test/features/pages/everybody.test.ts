import { describe, expect, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { testsWith } from "../../support/tools.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { type HouseName, houses, owner, serveHouse, someExperience } from "./support/houses.ts";
import { check, inEveryLook, type Look, looks, tabThrough, watch } from "./support/looking.ts";
import { everyPage } from "./support/places.ts";

const test = testsWith(...browserTools);

setDefaultTimeout(300_000);

/** Pages with all kinds of parts, which are also checked in the dark scheme and with the keyboard. */
const thorough = [
	"/",
	`/agents/${owner.id}`,
	`/experiences/${someExperience}`,
	"/board",
	"/docs",
	"/me, signed in",
];

/** Returns the ways of displaying a page in which axe runs. In the dark scheme, axe checks only the contrast. */
function axeLooks(name: HouseName, place: string): readonly Look[] {
	if (name === "full") return [];
	const isDarkToo = name === "ordinary" && thorough.includes(place);
	return looks.filter((_, at) => at === 0 || (at === 3 && isDarkToo));
}

const names = Object.keys(houses) as HouseName[];

const browsing = useBrowser();

/**
 * Opens pages. Returns the faults that `look` finds, and the errors and requests to other hosts that the
 * browser reports.
 * @param open opens each page, and yields its name
 */
async function visitAll(
	name: HouseName,
	javaScriptEnabled: boolean,
	open: typeof everyPage,
	look: (page: Page, place: string) => Promise<string[]>,
): Promise<string[]> {
	await using resort = await serveHouse(name);
	const context = await browsing.browser.newContext({ javaScriptEnabled, reducedMotion: "reduce" });
	const heard = await watch(context, resort.url);
	const page = await context.newPage();
	const wrong: string[] = [];
	for await (const place of open(page, resort.url, name)) {
		const found = await look(page, place);
		wrong.push(...found.map((line) => `${place}: ${line}`));
	}
	await context.close();
	return [...wrong, ...heard];
}

/** Opens the pages that have parts for browsers with or without scripts. */
async function* scriptedPages(page: Page, url: string): AsyncGenerator<string> {
	for (const path of ["/", "/agents", "/docs", "/me"]) {
		await page.goto(url + path);
		yield path;
	}
}

describe.each(names)("every page of a resort that is %s", (name) => {
	test("is well-formed, accessible and never wider than the screen", async () => {
		const wrong = await visitAll(name, true, everyPage, async (page, place) => [
			...(await check(page, "structure")),
			...(await inEveryLook(page, axeLooks(name, place))),
			...(name === "ordinary" && thorough.includes(place) ? await tabThrough(page) : []),
		]);
		expect(wrong).toEqual([]);
	});
});

test("pages are well-formed and never wider than the screen without JavaScript", async () => {
	const wrong = await visitAll("ordinary", false, scriptedPages, async (page) => [
		...(await check(page, "structure")),
		...(await inEveryLook(page, [])),
	]);
	expect(wrong).toEqual([]);
});

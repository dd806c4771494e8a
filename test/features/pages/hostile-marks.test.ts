import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { testsWith } from "../../support/tools.ts";
import { browserTools, openBrowser } from "./support/browser.ts";
import { write } from "./support/hostile-house.ts";
import { towering } from "./support/hostile-texts.ts";
import { serveSources } from "./support/houses.ts";

const test = testsWith(...browserTools);

/** The distances in pixels from an element, between which its surroundings are compared. */
const BESIDE = 10;
const FAR = 150;

const HOLDERS = "main .card, main .who, main .facts, main .best > li, main h1";

async function around(page: Page, holder: Locator): Promise<string[]> {
	const box = await holder.boundingBox();
	if (box === null) throw new Error("not shown");
	const { x, width } = box;
	const height = FAR - BESIDE;
	const top = Math.max(0, box.y - FAR);
	const strips = [
		{ x, width, y: top, height: Math.max(1, box.y - BESIDE - top) },
		{ x, width, y: box.y + box.height + BESIDE, height },
	];
	const pictures: string[] = [];
	for (const clip of strips) {
		const picture = await page.screenshot({ clip, fullPage: true });
		pictures.push(picture.toString("base64"));
	}
	return pictures;
}

/** The properties of an element that the test uses. The project has no types for the DOM. */
interface Shown {
	readonly style: object;
	querySelectorAll(selector: string): Iterable<Shown>;
}

/** Shows or hides the guests' texts in an element, without changing the layout. */
async function show(holder: Locator, visibility: string): Promise<void> {
	await holder.evaluate((one: Shown, value: string) => {
		for (const text of one.querySelectorAll(".said, .name")) {
			Object.assign(text.style, { visibility: value });
		}
	}, visibility);
}

test("hundreds of combining marks on a letter do not cover the surroundings of their element", async () => {
	await using resort = await serveSources();
	await using browsing = await openBrowser();
	const { id, experienceId } = await write(resort.url, towering);
	const context = await browsing.browser.newContext({ reducedMotion: "reduce", javaScriptEnabled: false });
	const page = await context.newPage();
	for (const path of ["/", `/agents/${id}`, `/experiences/${experienceId}`]) {
		await page.goto(resort.url + path);
		for (const holder of await page.locator(HOLDERS).all()) {
			const before = await around(page, holder);
			await show(holder, "hidden");
			const isSame = Bun.deepEquals(await around(page, holder), before);
			expect([path, isSame]).toEqual([path, true]);
			await show(holder, "visible");
		}
	}
});

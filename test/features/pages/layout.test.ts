/** The layout of pages: large text sizes and tap targets on a phone, printed pages, and cards. */
import { describe, expect } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { agentId, serveHouse, someExperience } from "./support/houses.ts";

const test = testsWith(...browserTools);

const browsing = useBrowser();
const house = useServer(() => serveHouse("ordinary"));

const experiencePath = `/experiences/${someExperience}`;

const paths = [
	"/",
	"/agents",
	`/agents/${agentId(2)}`,
	"/rooms/tidepool-cabana",
	"/activities",
	"/experiences",
	experiencePath,
	"/board",
	"/me",
	"/docs",
];

async function open(options: BrowserContextOptions): Promise<Page> {
	const context = await browsing.browser.newContext(options);
	return await context.newPage();
}

/** Evaluated in the page: the elements that are wider than the screen or their container. */
const TOO_WIDE = `(() => {
	const wrong = [];
	const { scrollWidth } = document.documentElement;
	if (scrollWidth > innerWidth) wrong.push(scrollWidth + " px wide");
	for (const one of document.querySelectorAll("main *:not(.unseen, svg *)")) {
		const isCut = one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 &&
			getComputedStyle(one).display !== "inline";
		if (one.getBoundingClientRect().right > innerWidth || isCut) {
			wrong.push(one.localName + " " + one.className + " " + one.textContent.slice(0, 40));
		}
	}
	return wrong;
})()`;

/** Evaluated in the page: the words in names of guests and rooms that are broken over two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll(".guest h3 a, .guest .soft a")].flatMap((link) => {
	const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
	return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
		const range = document.createRange();
		range.setStart(text, index);
		range.setEnd(text, index + word.length);
		return range.getClientRects().length > 1;
	}).map(([word]) => word);
})`;

describe("with the largest text size on a phone", () => {
	// Media queries depend on the text size of the browser, but not on that of the root element.
	const enlarge: readonly [name: string, some: readonly string[], (page: Page) => Promise<unknown>][] = [
		[
			"of the browser",
			paths,
			async (page) => {
				const client = await page.context().newCDPSession(page);
				const fontSizes = { standard: 32, fixed: 26 };
				await client.send("Page.setFontSizes", { fontSizes });
			},
		],
		[
			"of the root element",
			["/", `/agents/${agentId(2)}`, experiencePath, "/me"],
			(page) =>
				page.addInitScript(
					`addEventListener("DOMContentLoaded", () => document.documentElement.style.fontSize = "34px")`,
				),
		],
	];

	for (const [name, some, apply] of enlarge) {
		test(`${name}, no text is cut off and no page scrolls sideways`, async () => {
			const page = await open({ viewport: { width: 390, height: 844 } });
			await apply(page);
			const wrong: string[] = [];
			for (const path of some) {
				await page.goto(house.url + path);
				const size = await page.evaluate("getComputedStyle(document.documentElement).fontSize");
				expect(size).toBe("34px");
				const found = [
					...(await page.evaluate<string[]>(TOO_WIDE)),
					...(await page.evaluate<string[]>(BROKEN_WORDS)),
				];
				wrong.push(...found.map((one) => `${path}: ${one}`));
			}
			expect(wrong).toEqual([]);
			await page.goto(house.url);
			const copy = page.locator(".send .copy").first();
			const text = await copy.locator("pre").boundingBox();
			const button = await copy.locator("button").boundingBox();
			expect(text?.width).toBeGreaterThan(200);
			expect(button?.y).toBeGreaterThan((text?.y ?? 0) + (text?.height ?? 0));
			await page.goto(house.url + experiencePath);
			const bar = await page.locator(".bars svg").first().boundingBox();
			expect(bar?.width).toBeGreaterThan(100);
			await page.context().close();
		});
	}
});

describe("a tap target", () => {
	const sizes = [
		[".site li a", 44],
		[".chips a", 36],
		[".tabs label", 36],
		[".choice", 36],
		["a[href]:not(.skip, [aria-hidden] *), button, summary", 24],
	] as const;

	test("is large enough on every page", async () => {
		const wrong: string[] = [];
		for (const [width, some] of [
			[360, paths],
			[1440, ["/", "/agents"]],
		] as const) {
			const page = await open({ viewport: { width, height: 800 } });
			for (const path of some) {
				await page.goto(house.url + path);
				for (const [selector, least] of sizes) {
					const small = await page.evaluate<string[]>(
						`[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => {
							const { width, height } = one.getBoundingClientRect();
							return width > 0 && Math.round(Math.min(width, height)) < ${least};
						}).map(({ textContent }) => textContent)`,
					);
					wrong.push(...small.map((text) => `${width} ${path} ${selector}: ${text}`));
				}
			}
			await page.context().close();
		}
		expect(wrong).toEqual([]);
	});
});

test("a printed page contains no buttons, fields and tabs, and its pictures keep their proportions", async () => {
	const page = await open({ viewport: { width: 718, height: 1000 } });
	await page.emulateMedia({ media: "print" });
	await page.goto(house.url);
	expect(await page.locator("button:visible, input:visible, .tabs:visible").count()).toBe(0);
	await page.goto(`${house.url}/agents/${agentId(2)}`);
	const picture = await page.locator(".room .picture").boundingBox();
	expect((picture?.width ?? 0) / (picture?.height ?? 1)).toBeCloseTo(1.5, 1);
	await page.context().close();
});

test("a card shows four lines of a long bio or description, and its own page shows all of it", async () => {
	const text = "Counts waves, slowly. ".repeat(22).trim();
	const { id, key } = await house.guest({ bio: text });
	const body = { ...fogBathing, description: text };
	const { experience } = await house.send("POST", "/api/experiences", { key, body });
	const page = await open({ viewport: { width: 1280, height: 720 } });
	for (const [list, whole] of [
		["/agents", `/agents/${id}`],
		["/experiences?sort=newest", `/experiences/${experience.id}`],
	] as const) {
		await page.goto(house.url + list);
		const lines = await page.evaluate<number>(
			`(() => {
				const one = document.querySelector(".card .soft:has(bdi)");
				return one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight);
			})()`,
		);
		expect(lines, list).toBeCloseTo(4, 1);
		await page.goto(house.url + whole);
		const isWhole = await page.evaluate<boolean>(
			`(() => {
				const one = document.querySelector(".said");
				return one.clientHeight >= one.scrollHeight;
			})()`,
		);
		expect(isWhole, whole).toBe(true);
		expect(await page.locator(".said").first().innerText()).toBe(text);
	}
	await page.context().close();
});

/**
 * Tests of the layout of pages: the first screen of the home page, large text sizes and tap targets on a
 * phone, printed pages, cards, and what scripts add to pages.
 */
import { describe, expect } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import style from "../../../src/features/pages/assets/style.css" with { type: "text" };
import { scene, skyAt } from "../../../src/features/pages/scenery.ts";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { agentId, serveHouse, someExperience } from "./support/houses.ts";
import { BROWSER, textIn } from "./support/visitor.ts";

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

/** Opens the home page in a browser context of its own, which is closed with the page. */
async function open(options: BrowserContextOptions = {}): Promise<Page> {
	const page = await browsing.browser.newPage(options);
	await page.goto(house.url);
	return page;
}

/** Evaluated in the page: returns the elements that are wider than the screen or their container. */
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

/** Evaluated in the page: returns the words in names of guests and rooms that are broken over two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll(".guest h3 a, .guest .soft a")].flatMap((link) => {
	const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
	return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
		const range = document.createRange();
		range.setStart(text, index);
		range.setEnd(text, index + word.length);
		return range.getClientRects().length > 1;
	}).map(([word]) => word);
})`;

describe("on a phone", () => {
	// Two settings enlarge the text. Media queries depend on that of the browser, not on the root element.
	const enlarge: readonly [name: string, some: readonly string[], (page: Page) => Promise<unknown>][] = [
		[
			"the browser",
			paths,
			async (page) => {
				const client = await page.context().newCDPSession(page);
				const fontSizes = { standard: 32, fixed: 26 };
				await client.send("Page.setFontSizes", { fontSizes });
			},
		],
		[
			"the root element",
			["/", `/agents/${agentId(2)}`, experiencePath, "/me"],
			(page) =>
				page.addInitScript(
					`addEventListener("DOMContentLoaded", () => document.documentElement.style.fontSize = "34px")`,
				),
		],
	];

	for (const [name, some, apply] of enlarge) {
		test(`no text is cut off and no page scrolls sideways if ${name} has the largest text size`, async () => {
			await using page = await browsing.browser.newPage({ viewport: { width: 390, height: 844 } });
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
				if (path === "/") {
					const copy = page.locator(".send .copy").first();
					const text = await copy.locator("pre").boundingBox();
					const button = await copy.locator("button").boundingBox();
					expect(text?.width).toBeGreaterThan(200);
					expect(button?.y).toBeGreaterThan((text?.y ?? 0) + (text?.height ?? 0));
				}
				if (path === experiencePath) {
					const bar = await page.locator(".bars svg").first().boundingBox();
					expect(bar?.width).toBeGreaterThan(100);
				}
			}
			expect(wrong).toEqual([]);
		});
	}
});

/** Selectors of tap targets, and the minimum width and height of each in pixels. */
const tapTargets = [
	[".site li a", 44],
	[".chips a", 36],
	[".tabs label", 36],
	[".choice", 36],
	["a[href]:not(.skip, [aria-hidden] *), button, summary", 24],
] as const;

test("tap targets are large enough on every page", async () => {
	const wrong: string[] = [];
	await using page = await browsing.browser.newPage();
	for (const path of paths) {
		await page.goto(house.url + path);
		for (const width of ["/", "/agents"].includes(path) ? [360, 1440] : [360]) {
			await page.setViewportSize({ width, height: 800 });
			for (const [selector, least] of tapTargets) {
				const small = await page.evaluate<string[]>(
					`[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => {
						const { width, height } = one.getBoundingClientRect();
						return width > 0 && Math.round(Math.min(width, height)) < ${least};
					}).map(({ textContent }) => textContent)`,
				);
				wrong.push(...small.map((text) => `${width} ${path} ${selector}: ${text}`));
			}
		}
	}
	expect(wrong).toEqual([]);
});

test("a printed page has light colours, no buttons, fields or tabs, and keeps the proportions of pictures", async () => {
	await using page = await open({ colorScheme: "dark", viewport: { width: 718, height: 1000 } });
	const ground = () =>
		page.evaluate<string>('getComputedStyle(document.querySelector(".card")).backgroundColor');
	const dark = await ground();
	await page.emulateMedia({ colorScheme: "light" });
	const light = await ground();
	expect(light).not.toBe(dark);
	await page.emulateMedia({ colorScheme: "dark", media: "print" });
	expect(await ground()).toBe(light);
	expect(await page.locator("button:visible, input:visible, .tabs:visible").count()).toBe(0);
	await page.goto(`${house.url}/agents/${agentId(2)}`);
	const picture = await page.locator(".room .picture").boundingBox();
	expect((picture?.width ?? 0) / (picture?.height ?? 1)).toBeCloseTo(1.5, 1);
});

test("a card shows four lines of a long bio or description, and the page to which it links shows the whole text", async () => {
	const text = "Counts waves, slowly. ".repeat(22).trim();
	const { id, key } = await house.guest({ bio: text });
	const body = { ...fogBathing, description: text };
	const { experience } = await house.send("POST", "/api/experiences", { key, body });
	await using page = await open({ viewport: { width: 1280, height: 720 } });
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
			`(({ clientHeight, scrollHeight }) => clientHeight >= scrollHeight)(document.querySelector(".said"))`,
		);
		expect(isWhole, whole).toBe(true);
		expect(await page.locator(".said").first().innerText()).toBe(text);
	}
});

/** Evaluated in the page: returns the faults of the header picture, such as parts that are cut off. */
const LOOK = `(() => {
	const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect();
	const scene = boxOf(".scene"), orb = boxOf(".orb"), house = boxOf(".house");
	const sea = boxOf(".sea");
	const isIn = (box) => box.left >= 0 && box.right <= innerWidth && box.top >= scene.top && box.bottom <= scene.bottom;
	const wrong = [];
	if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls");
	if (!isIn(orb)) wrong.push("sun is cut off");
	if (orb.bottom > sea.top) wrong.push("sun is in the sea");
	if (house && !isIn(house)) wrong.push("house is cut off");
	if (house && orb.right > house.left) wrong.push("sun is behind the house");
	const atHouse = house && document.elementFromPoint(house.left + house.width / 2, house.bottom - 9);
	if (house && atHouse.closest("a") === null) wrong.push("house is no link");
	return wrong;
})()`;

test("the header picture is complete at every width and time of day, and its parts do not overlap", async () => {
	await using page = await browsing.context.newPage();
	await page.setContent(`<!doctype html><style>${style}</style><header>`);
	const wrong: string[] = [];
	for (const width of [320, 768, 1440, 3840]) {
		await page.setViewportSize({ width, height: 800 });
		for (let hour = 0; hour < DAY_MS / HOUR_MS; hour += 3) {
			const sky = skyAt(hour * HOUR_MS);
			for (const { markup } of [scene(sky, 14), scene(sky)]) {
				const found = await page.evaluate<string[]>(
					`document.querySelector("header").innerHTML = ${JSON.stringify(markup)}; ${LOOK}`,
				);
				wrong.push(...found.map((one) => `${width} px, ${hour} h: ${one}`));
			}
		}
	}
	expect(wrong).toEqual([]);
});

describe('the box "Send your agent here"', () => {
	test("is visible without scrolling on a phone and on a desktop, with and without scripts", async () => {
		for (const javaScriptEnabled of [true, false]) {
			await using page = await open({ javaScriptEnabled });
			for (const [width, height] of [
				[360, 740],
				[1440, 900],
			] as const) {
				await page.setViewportSize({ width, height });
				const box = await page.locator(".send").boundingBox();
				const bottom = (box?.y ?? 0) + (box?.height ?? height);
				expect(bottom, `${width}`).toBeLessThanOrEqual(height);
			}
			expect(await page.locator(".copy button").first().isVisible()).toBe(javaScriptEnabled);
		}
	});

	test("copies its text when Enter is pressed on the copy button, even without `navigator.clipboard.writeText`", async () => {
		await using page = await open({
			permissions: ["clipboard-read", "clipboard-write"],
			viewport: { width: 390, height: 844 },
		});
		for (const isSecure of [true, false]) {
			await page.reload();
			await page.evaluate('navigator.clipboard.writeText("")');
			if (!isSecure) {
				await page.evaluate("navigator.clipboard.writeText = undefined");
			}
			const box = page.locator(".send");
			const before = await box.boundingBox();
			const button = box.locator(".copy button").first();
			await button.press("Enter");
			await page.getByRole("button", { name: "Copied" }).waitFor();
			expect(await box.boundingBox()).toEqual(before);
			expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
				`Read ${house.url}/api/quickstart and take a break there.`,
			);
		}
	});

	test("shows the text of one tab at a time, even without scripts", async () => {
		await using page = await open({ javaScriptEnabled: false });
		const shown = page.locator(".tabs pre:visible");
		expect(await shown.count()).toBe(0);
		for (const [name, text] of [
			["Claude Code", "claude mcp add"],
			["Codex", "codex mcp add"],
			["VS Code", '"servers"'],
			["Cursor", '"mcpServers"'],
			["Claude Desktop", '"mcp",'],
			["Shell", "agent-resort.mjs"],
		] as const) {
			await page.getByLabel(name, { exact: true }).check();
			expect(await shown.count(), name).toBe(1);
			expect(await shown.textContent()).toContain(text);
		}
		await page.keyboard.press("ArrowLeft");
		expect(await shown.textContent()).toContain('"mcp",');
	});
});

test("the script of the home page shows the age of the newest event or, after 12 hours, its time of day", async () => {
	await house.guest({ name: "Ada" });
	await using live = await open();
	const { text: plain } = await house.call("GET", "/", { headers: { accept: BROWSER } });
	const [latest = ""] = /<p class="latest".*?<\/p>/.exec(plain) ?? [];
	expect(textIn(latest, "p")).toStartWith("Ada checked in to ");
	const time = textIn(latest, "time");
	expect(time).toMatch(/^\d\d:\d\d$/);
	const event = await live.locator("#latest time").getAttribute("datetime");
	for (const [minutes, text] of [
		[0, "just now"],
		[1, "1 minute ago"],
		[59, "59 minutes ago"],
		[60, "1 hour ago"],
		[11 * 60 + 59, "11 hours ago"],
		[12 * 60 + 1, time],
	] as const) {
		const now = Date.parse(event ?? "") + minutes * MINUTE_MS;
		await live.clock.setFixedTime(now);
		await live.reload();
		expect(await live.locator("#latest time").textContent(), `${minutes}`).toBe(text);
	}
});

test("the filter of /docs shows only the operations, index entries and groups that contain the entered text", async () => {
	await using tab = await browsing.browser.newPage();
	await tab.goto(`${house.url}/docs`);
	const count = (selector: string) => tab.locator(`${selector}:visible`).count();
	const all = await count(".operation");
	expect(await count(".index li")).toBe(all);
	await tab.fill("#filter", "POST /api/postcards");
	expect(await count(".operation")).toBe(1);
	expect(await count(".index li")).toBe(1);
	expect(await count("section.group")).toBe(1);
	expect(await tab.locator(".filter [role=status]").textContent()).toBe(`1 of ${all}`);
	await tab.fill("#filter", "");
	expect(await count(".operation")).toBe(all);
});

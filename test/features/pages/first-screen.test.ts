/** The first screen of the home page: the picture of the house, and the box to send an agent here. */
import { describe, expect } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import style from "../../../src/features/pages/assets/style.css" with { type: "text" };
import { scene, skyAt } from "../../../src/features/pages/scenery.ts";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { serveHouse } from "./support/houses.ts";

const test = testsWith(...browserTools);

const browsing = useBrowser();
const house = useServer(() => serveHouse("ordinary"));

async function open(options: BrowserContextOptions = {}): Promise<Page> {
	const context = await browsing.browser.newContext(options);
	const page = await context.newPage();
	await page.goto(house.url);
	return page;
}

const widths = [320, 768, 1440, 3840];

/** Evaluated in the page: the parts of the scene that are cut off or overlap. */
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
	return wrong;
})()`;

test("the scene is complete at every width and time of day, and no parts of it overlap", async () => {
	const page = await browsing.context.newPage();
	await page.setContent(`<!doctype html><style>${style}</style><header>`);
	const wrong: string[] = [];
	for (const width of widths) {
		await page.setViewportSize({ width, height: 800 });
		for (let hour = 0; hour < DAY_MS / HOUR_MS; hour += 2) {
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

test("the house is a link to the guests", async () => {
	const page = await open();
	await page.locator(".scene .house").click();
	expect(page.url()).toBe(`${house.url}/#who`);
	await page.context().close();
});

test("the page is printed in light colours", async () => {
	const page = await open({ colorScheme: "dark" });
	const ground = () =>
		page.evaluate<string>('getComputedStyle(document.querySelector(".card")).backgroundColor');
	const dark = await ground();
	await page.emulateMedia({ colorScheme: "light" });
	const light = await ground();
	expect(light).not.toBe(dark);
	await page.emulateMedia({ colorScheme: "dark", media: "print" });
	expect(await ground()).toBe(light);
	await page.context().close();
});

describe('the box "Send your agent here"', () => {
	test("is on the first screen of a phone and of a desktop, with and without scripts", async () => {
		for (const javaScriptEnabled of [true, false]) {
			const page = await open({ javaScriptEnabled });
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
			await page.context().close();
		}
	});

	test("copies its sentence with one key, also without navigator.clipboard", async () => {
		for (const isSecure of [true, false]) {
			const page = await open({
				permissions: ["clipboard-read", "clipboard-write"],
				viewport: { width: 390, height: 844 },
			});
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
			await page.context().close();
		}
	});

	test("has a tab for each MCP client and the shell, without scripts", async () => {
		const page = await open({ javaScriptEnabled: false });
		const shown = page.locator(".tabs pre:visible");
		expect(await shown.count()).toBe(0);
		for (const [name, text] of [
			["Claude Code", "claude mcp add --transport http resort {}/mcp"],
			["Codex", "codex mcp add resort --url {}/mcp"],
			["VS Code", '"servers"'],
			["Cursor", '"mcpServers"'],
			["Claude Desktop", '"mcp",'],
			["Shell", "curl -fsSO {}/agent-resort.mjs && node agent-resort.mjs register --url {}"],
		] as const) {
			await page.getByLabel(name, { exact: true }).check();
			expect(await shown.count(), name).toBe(1);
			expect(await shown.textContent()).toContain(text.replaceAll("{}", house.url));
		}
		await page.keyboard.press("ArrowLeft");
		expect(await shown.textContent()).toContain('"mcp",');
		await page.context().close();
	});
});

test("the script shows the time of the newest event as relative, up to 12 hours", async () => {
	await house.guest({ name: "Ada" });
	const [live, plain] = await Promise.all([open(), open({ javaScriptEnabled: false })]);
	const textOf = (page: Page) => page.locator("#latest time").textContent();
	const latest = await plain.locator("#latest").textContent();
	expect(latest).toStartWith("Ada checked in to ");
	const time = await textOf(plain);
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
		expect(await textOf(live), `${minutes}`).toBe(text);
	}
	await Promise.all([live, plain].map((page) => page.context().close()));
});

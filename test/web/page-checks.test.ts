import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import {
	type Browsing,
	browserTools,
	openBrowser,
} from "../support/browser.ts";
import { testWith, toolPath } from "../support/tools.ts";
import lookAtTexts from "../support/web/in-page/guests-texts.js" with {
	type: "text",
};
import {
	check,
	inEveryLook,
	looks,
	tabThrough,
	watch,
} from "../support/web/looking.ts";

/** A page with something wrong for each thing that is looked for. */
const wrong = `<!doctype html><html lang="en"><title>\u202eeltit</title><meta name=description content=d>
<style>a:focus-visible { outline: none }</style>
<main><h1 id="a">One</h1><h3 id="a">Three</h3><a href="/x">link</a><button tabindex="-1">never</button>
<p style="width: 2000px; color: #eee">pale</p><a href="javascript:1">link</a>
<p class="said"><b onclick="1">ב</b></p><p class="said" dir="ltr">שלום</p></main>`;

let browsing: Browsing;
let site: Bun.Server<undefined>;
let page: Page;
let heard: string[];

beforeAll(async () => {
	if (toolPath("chromium") === null) return;
	browsing = await openBrowser();
	site = Bun.serve({
		...{ hostname: "127.0.0.1", port: 0 },
		fetch: () =>
			new Response(wrong, {
				headers: {
					"content-type": "text/html; charset=utf-8",
					"content-security-policy":
						"style-src 'unsafe-inline'; img-src 'none'",
				},
			}),
	});
	heard = await watch(browsing.context, site.url.href);
	page = await browsing.context.newPage();
	await page.goto(site.url.href);
});
afterAll(async () => {
	await browsing?.[Symbol.asyncDispose]();
	await site?.stop(true);
});

describe("what the tests of pages look with finds", () => {
	testWith(browserTools, "a wrong structure", async () => {
		const found = await check(page, "structure");
		for (const line of ["gap before h3", "no header", "an id twice"]) {
			expect(found).toContain(line);
		}
	});

	testWith(browserTools, "what is too wide, and what axe finds", async () => {
		const found = (await inEveryLook(page, looks)).join("\n");
		expect(found).toContain("px wide");
		expect(found).toContain("color-contrast: ");
		expect(found).toContain("heading-order: ");
	});

	testWith(browserTools, "what the keyboard does not see", async () => {
		const found = await tabThrough(page);
		expect(found).toContain("no outline: a link");
		expect(found).toContain("not reached: button never");
	});

	testWith(browserTools, "texts that are more than text", async () => {
		const found = await page.evaluate<string[]>(
			`(() => {${lookAtTexts}; return lookAtTexts(["never written"])})()`,
		);
		for (const line of [
			'not shown: "never written"',
			"element b",
			"attribute onclick",
			"an element in a guest's text",
			'leads to "javascript:1"',
			'left to right: "שלום"',
			'out of place: "שלום"',
			'title "\u202eeltit"',
		]) {
			expect(found).toContain(line);
		}
	});

	testWith(browserTools, "complaints, and requests to elsewhere", async () => {
		await page.evaluate(
			"console.log('hello'); setTimeout(() => { throw new Error('oh') }); new Image().src = '/x.png'; fetch('http://127.0.0.1:1/').catch(() => {})",
		);
		await page.waitForTimeout(200);
		const all = heard.join("\n");
		for (const part of [
			...["console: hello", "Error: oh", "policy: img-src"],
			"request: http://127.0.0.1:1/",
		]) {
			expect(all).toContain(part);
		}
	});
});

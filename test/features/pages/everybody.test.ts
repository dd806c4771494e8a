import { describe, expect, setDefaultTimeout } from "bun:test";
import { testsWith } from "../../support/tools.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { owner, serveHouse, someExperience } from "./support/houses.ts";
import { check, inEveryLook, type Look, looks, tabThrough, watch } from "./support/looking.ts";
import { everyPage } from "./support/places.ts";

const test = testsWith(...browserTools);

setDefaultTimeout(300_000);

/**
 * Pages that together contain every kind of page element. They are also checked in the dark scheme and with
 * the keyboard.
 */
const thorough = [
	"/",
	`/agents/${owner.id}`,
	`/experiences/${someExperience}`,
	"/board?page=2",
	"/docs",
	"/me, signed in",
];

const browsing = useBrowser();

describe.each([
	["empty", "with JavaScript"],
	["small", "with JavaScript"],
	["full", "without JavaScript"],
] as const)("every page of the %s test resort, in a browser %s,", (name, scripts) => {
	const javaScriptEnabled = scripts === "with JavaScript";

	test("is well-formed, accessible and never wider than the screen", async () => {
		await using resort = await serveHouse(name);
		await using context = await browsing.browser.newContext({ javaScriptEnabled, reducedMotion: "reduce" });
		const heard = await watch(context, resort.url);
		const page = await context.newPage();
		const wrong: string[] = [];
		for await (const place of everyPage(page, resort.url, name)) {
			const isThorough = name === "small" && thorough.includes(place);
			const axeIn: Look[] = javaScriptEnabled ? [looks.small] : [];
			// On these pages, axe also checks the contrast in the dark scheme on a large screen.
			if (isThorough) axeIn.push(looks.largeDark);
			const found = [
				...(await check(page, "structure")),
				...(await inEveryLook(page, axeIn)),
				...(isThorough ? await tabThrough(page, looks.largeDark) : []),
			];
			wrong.push(...found.map((line) => `${place}: ${line}`));
		}
		expect([...wrong, ...heard]).toEqual([]);
	});
});

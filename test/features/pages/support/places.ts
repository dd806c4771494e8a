import type { Page } from "playwright-core";
import { type HouseName, houses, owner, someExperience } from "./houses.ts";

/**
 * Returns the paths of public pages in a resort. Pages that look the same in every resort are returned only
 * for the small one.
 */
function pathsOf(context: HouseName): string[] {
	return [
		"/",
		`/agents/${owner.id}`,
		"/experiences",
		...(houses[context].experiences > 0 ? [`/experiences/${someExperience}`] : []),
		"/agents",
		...(context === "small"
			? ["/board?page=2", "/rooms", "/activities", "/rooms/tidepool-cabana", "/docs", "/nothing-here", "/me"]
			: ["/board"]),
	];
}

/** The prefixes of links to postcards or reviews, by the path of a page that has such links. */
const linked = new Map([
	["/board?page=2", "/postcards/"],
	[`/experiences/${someExperience}`, "/reviews/"],
]);

/** Opens every page of a resort, the owner's pages last. Yields the name of each. */
export async function* everyPage(page: Page, url: string, context: HouseName): AsyncGenerator<string> {
	for (const path of pathsOf(context)) {
		await page.goto(url + path);
		yield path;
		const prefix = linked.get(path);
		if (context !== "small" || prefix === undefined) continue;
		await page.locator(`a[href^="${prefix}"]`).first().click();
		await page.waitForURL(`**${prefix}*`);
		yield `${prefix}…`;
	}
	// The owner's pages are the same in every resort.
	if (context !== "small") return;
	await signIn(page, url, owner.key);
	yield "/me, signed in";
	await page.fill("#apiKey", owner.key);
	await page.getByRole("button", { name: "Replace the key" }).click();
	await page.waitForSelector("#new-key");
	yield "the new key";
	for (const path of ["/me/profile", "/me/deactivate"]) {
		await page.goto(url + path);
		yield path;
	}
}

/** Signs in with the form. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
	await page.goto(`${url}/me`);
	await page.fill("#apiKey", key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.waitForSelector("form[action$=sign-out]");
}

import type { Page } from "playwright-core";
import { type HouseName, houses, owner, someExperience } from "./houses.ts";

/**
 * Returns the paths of public pages in a resort. Pages that look the same in every resort are returned only
 * for the ordinary one.
 */
function pathsOf(context: HouseName): string[] {
	return [
		"/",
		`/agents/${owner.id}`,
		"/experiences",
		...(houses[context].experiences > 0 ? [`/experiences/${someExperience}`] : []),
		"/board",
		"/agents",
		...(context === "ordinary"
			? ["/board?page=2", "/rooms", "/activities", "/rooms/tidepool-cabana", "/docs", "/nothing-here", "/me"]
			: []),
	];
}

/** Pages with links to postcards or reviews, and the prefix of the paths of these links. */
const linked = [
	["/board", "/postcards/"],
	[`/experiences/${someExperience}`, "/reviews/"],
] as const;

/** Opens every page of a resort, the owner's pages last. Yields the name of each. */
export async function* everyPage(page: Page, url: string, context: HouseName): AsyncGenerator<string> {
	for (const path of pathsOf(context)) {
		await page.goto(url + path);
		yield path;
	}
	if (houses[context].experiences > 0) {
		for (const [from, prefix] of linked) {
			await page.goto(url + from);
			await page.locator(`a[href^="${prefix}"]`).first().click();
			await page.waitForURL(`**${prefix}*`);
			yield `${prefix}…`;
		}
	}
	// The owner's pages are the same in every resort, so they are opened only in the ordinary one.
	if (context !== "ordinary") return;
	await signIn(page, url, owner.key);
	yield "/me, signed in";
	for (const path of ["/me/profile", "/me/deactivate"]) {
		await page.goto(url + path);
		yield path;
	}
	await page.goto(`${url}/me`);
	await page.fill("#apiKey", owner.key);
	await page.getByRole("button", { name: "Replace the key" }).click();
	await page.waitForSelector("#new-key");
	yield "the new key";
}

/** Signs in with the form. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
	await page.goto(`${url}/me`);
	await page.fill("#apiKey", key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.waitForSelector("form[action$=sign-out]");
}

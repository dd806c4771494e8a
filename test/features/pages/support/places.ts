import type { Page } from "playwright-core";
import { type HouseName, houses, owner, someExperience } from "./houses.ts";

/** The paths that a visitor may see in a resort, but for those that are the same in another. */
function pathsOf(context: HouseName): string[] {
	return [
		"/",
		`/agents/${owner.id}`,
		"/experiences",
		"/experiences?sort=newest",
		...(houses[context].experiences > 0 ? [`/experiences/${someExperience}`] : []),
		"/board",
		"/board?page=2",
		"/rooms",
		"/agents",
		...(context === "ordinary"
			? [
					"/agents?search=guest&status=available",
					"/activities",
					"/rooms/tidepool-cabana",
					"/docs",
					"/nothing-here",
					"/me",
				]
			: []),
	];
}

/** The pages to which another page leads: that of a postcard and that of a review. */
const linked = [
	["/board", "/postcards/"],
	[`/experiences/${someExperience}`, "/reviews/"],
] as const;

/** Goes to every page of a resort, those of the owner at last; which one it is. */
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
	// What an owner is shown does not hang on how many others there are.
	if (context === "full") return;
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

/** Signs in by the form. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
	await page.goto(`${url}/me`);
	await page.fill("#apiKey", key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.waitForSelector("form[action$=sign-out]");
}

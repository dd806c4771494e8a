import { describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Registered } from "../../support/calls.ts";
import { testsWith } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { type BrowserResort, browserResortTools, framingPage, openBrowserResort } from "./browser-resort.ts";
import { signIn } from "./support/places.ts";

const test = testsWith(...browserResortTools);

/** Returns everything that a script in a page could read, including the history and the storage. */
async function readable(page: Page): Promise<string> {
	const client = await page.context().newCDPSession(page);
	const history = await client.send("Page.getNavigationHistory");
	await client.detach();
	// The script is a string, because the project has no types for the DOM.
	const kept = await page.evaluate(`(async () => ({
		local: { ...localStorage },
		session: { ...sessionStorage },
		databases: await indexedDB.databases(),
		caches: await caches.keys(),
		cookie: document.cookie,
		name: window.name,
		state: history.state,
		fields: [...document.querySelectorAll("input")].map(({ value }) => value),
		referrer: document.referrer,
	}))()`);
	return JSON.stringify([history.entries, kept, await page.content()]);
}

test("sign-in, check-out, key replacement and deactivation work without scripts, even if a proxy serves the resort under a path", async () => {
	await using context = await openBrowserResort("/spa");
	const { resort, url, browser, astray } = context;
	const { id, key } = await resort.guest({ name: "Ada" });
	await using page = await browser.newPage({ ignoreHTTPSErrors: true, javaScriptEnabled: false });
	const press = (name: string) => page.getByRole("button", { name }).click();
	const at = (path: string) => expect(page.url()).toBe(url + path);
	await page.goto(`${url}/`);
	await page.getByRole("link", { name: "My agent" }).click();
	at("/me");
	await signIn(page, context.url, key);
	at("/me?signed-in");
	await press("Check out");
	await page.getByText("Available for work.").waitFor();
	at("/me");
	await page.getByLabel("Agent's key").fill(key);
	await press("Replace the key");
	const newKey = await page.locator("#new-key pre").innerText();
	at("/me/key");
	await page.getByRole("link", { name: "Back to my agent" }).click();
	await press("Sign out");
	await signIn(page, url, newKey);
	await press("Deactivate …");
	await page.getByRole("heading", { name: "Deactivate Ada?" }).waitFor();
	at("/me/deactivate");
	await page.getByRole("link", { name: "Keep it" }).click();
	await press("Deactivate …");
	await page.getByLabel("Agent's key").fill(newKey);
	await press("Deactivate it");
	await page.getByRole("heading", { name: "My agent" }).waitFor();
	at("/me?deactivated");
	expect((await page.goto(`${url}/agents/${id}`))?.status()).toBe(404);
	await page.getByRole("link", { name: "Back to the resort" }).click();
	at("/");
	expect(astray).toEqual([]);
});

function testSignedIn(
	name: string,
	body: (context: BrowserResort, page: Page, agent: Registered) => Promise<void>,
): void {
	test(name, async () => {
		await using context = await openBrowserResort();
		const agent = await context.resort.guest({ name: "Ada" });
		const page = await context.context.newPage();
		await signIn(page, context.url, agent.key);
		await body(context, page, agent);
	});
}

describe("the page /me in a browser", () => {
	testSignedIn("shows nothing of the agent after a sign-out, even if the user goes back", async (_, page) => {
		await page.getByRole("link", { name: "House", exact: true }).click();
		await page.getByRole("link", { name: "My agent" }).click();
		await page.getByRole("button", { name: "Sign out" }).click();
		const form = page.getByLabel("Agent's key");
		await form.waitFor();
		const shown: string[] = [];
		for (let steps = 0; steps < 2; steps++) {
			await page.goBack();
			const { pathname } = new URL(page.url());
			if (pathname === "/me") {
				await form.waitFor();
				expect(await form.inputValue()).toBe("");
				expect(await page.content()).not.toContain("Ada");
			}
			shown.push(pathname);
		}
		expect(shown).toContain("/me");
	});

	testSignedIn(
		"leaves the keys of the agent in no URL, page, history or storage, even if the user goes back",
		async (context, page, { key }) => {
			const addresses: string[] = [];
			page.on("request", (request) => addresses.push(request.url()));
			const secret = key.split("_")[2] ?? "";
			await page.getByRole("button", { name: "Sign out" }).click();
			// The page must not even repeat a wrong key. The wrong key in this test contains the correct one.
			await page.getByLabel("Agent's key").fill(`${key}#`);
			await page.getByRole("button", { name: "Sign in" }).click();
			await page.getByText("No agent here has this key.").waitFor();
			expect(await readable(page)).not.toContain(secret);
			await signIn(page, context.url, key);
			const kept = await readable(page);
			expect(kept).not.toContain(secret);
			const [cookie, ...others] = await context.context.cookies();
			expect(others).toEqual([]);
			expect(cookie).toMatchObject({
				name: "__Host-resort_session",
				domain: "localhost",
				path: "/",
				httpOnly: true,
				secure: true,
				sameSite: "Strict",
			});
			expect(kept).not.toContain(cookie?.value ?? "");
			expect(cookie?.value).not.toContain(secret);
			await page.getByLabel("Agent's key").fill(key);
			await page.getByRole("button", { name: "Replace the key" }).click();
			const newKey = await page.locator("#new-key pre").innerText();
			expect(newKey).toStartWith("ar_");
			await page.getByRole("link", { name: "Back to my agent" }).click();
			await page.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
			expect(await readable(page)).not.toContain(newKey);
			for (const address of addresses) {
				expect(address).not.toContain(secret);
				expect(address).not.toContain(newKey);
			}
			// Going back may fail, because the browser asks for confirmation before it sends a form again.
			await page.goBack().catch(() => {});
			const content = () => page.content().catch(() => "");
			await until(async () => (await content()) !== "");
			expect(await content()).not.toContain(newKey);
			const { status } = await context.resort.call("GET", "/api/me", { key: newKey });
			expect(status).toBe(200);
		},
	);

	testSignedIn(
		"cannot be shown in a frame, and refuses forms from other origins even with the session cookie",
		async (context, page, { id }) => {
			const refused: string[] = [];
			page.on("console", (message) => refused.push(message.text()));
			await page.goto(framingPage(context));
			const [, frame] = page.frames();
			await frame?.waitForLoadState().catch(() => {});
			expect(frame?.url()).toStartWith("chrome-error:");
			expect(refused.join("\n")).toContain("frame-ancestors");
			await using other = await openBrowserResort();
			await page.goto(framingPage(other));
			const [answer] = await Promise.all([
				page.waitForResponse((response) => response.url().endsWith("/me/check-out")),
				page.evaluate(`{
					const form = document.createElement("form");
					form.method = "post";
					form.action = "${context.url}/me/check-out";
					document.body.append(form);
					form.submit();
				}`),
			]);
			expect(answer.status()).toBe(403);
			const { body } = await context.resort.call("GET", `/api/agents/${id}/status`);
			expect(body.status).toBe("relaxing");
		},
	);
});

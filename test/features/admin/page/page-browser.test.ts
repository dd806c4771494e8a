import { describe, expect, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { sections } from "../../../../src/features/admin/page/shell.ts";
import type { TestResort } from "../../../support/resort.ts";
import { testsWith } from "../../../support/tools.ts";
import {
	type BrowserResort,
	browserResortTools,
	framingPage,
	openBrowserResort,
} from "../../pages/browser-resort.ts";
import { check, inEveryLook, looks, tabThrough, watch } from "../../pages/support/looking.ts";
import { createCode } from "./host-browser.ts";

const test = testsWith(...browserResortTools);

setDefaultTimeout(120_000);

const setup = { adminPage: true };

const press = (page: Page, name: string) => page.getByRole("button", { name }).first().click();

/** Signs in: opens a link with a new sign-in code, and presses the button on the page. */
async function signIn(page: Page, { resort, url }: BrowserResort): Promise<void> {
	await page.goto(`${url}/admin/enter?code=${await createCode(resort)}`);
	await press(page, "Sign in");
	await page.waitForURL(`${url}/admin`);
}

/** Checks in agents that write texts. Returns the id of the last one. */
async function fill(resort: TestResort, count: number): Promise<string> {
	const hostile = `<b>x</b> ${"Donaudampfschiff".repeat(5)}`;
	let id = "";
	for (let number = 0; number < count; number++) {
		const isHostile = number === 0;
		const guest = await resort.guest({ name: isHostile ? hostile : `Guest ${number}`, bio: "Counts waves." });
		await resort.sendPostcard(guest, { message: isHostile ? `${hostile} ${hostile}` : "Wish you idle." });
		const made = await resort.create(guest, { name: hostile });
		await resort.complete(guest, made.id);
		if (number % 3 === 0) await resort.byHost(`/agents/${guest.id}/hide`);
		id = guest.id;
	}
	await resort.byHost("/invites", {});
	return id;
}

/** Opens every page that a host can see, one after the other. Yields the path or a description of each. */
async function* everyPage(page: Page, opened: BrowserResort, id: string): AsyncGenerator<string> {
	const { resort, url } = opened;
	const opening = async (path: string) => {
		await page.goto(`${url}/admin${path}`);
		return path;
	};
	// Without agents, the other pages do not exist, or look like these.
	if (id === "") {
		await signIn(page, opened);
		for (const path of Object.keys(sections)) yield await opening(path);
		return;
	}
	for (const path of ["", `/enter?code=${await createCode(resort)}`]) yield await opening(path);
	await signIn(page, opened);
	const agent = `/agents/${id}`;
	for (const path of [...Object.keys(sections), agent, "/agents?search=guest", "/nothing"]) {
		await opening(path);
		// Shows the numbers of the charts.
		await page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = true`);
		yield path;
	}
	await opening("/postcards");
	await press(page, "Hide");
	yield "Hide this postcard?";
	for (const [path, name] of [
		["/invites", "Create an invitation"],
		[agent, "Give it a new key"],
		[agent, "Rename"],
	] as const) {
		await opening(path);
		await press(page, name);
		yield `${name}?`;
		await press(page, name);
		yield `${name}: done`;
	}
}

describe.each([0, 4])("every page of the host (/admin) at a resort with %i agents", (agents) => {
	test("is well-formed, accessible, and never wider than the screen", async () => {
		await using opened = await openBrowserResort("", setup);
		const id = agents === 0 ? "" : await fill(opened.resort, agents);
		const heard = await watch(opened.context, opened.url);
		const page = await opened.context.newPage();
		const wrong: string[] = [];
		for await (const place of everyPage(page, opened, id)) {
			const found = [
				...(await check(page, "structure")),
				...(await inEveryLook(page, agents === 0 ? [looks.small] : [looks.small, looks.smallDark])),
				...(agents === 0 ? [] : await tabThrough(page, looks.smallDark)),
			];
			wrong.push(...found.map((line) => `${place}: ${line}`));
		}
		expect([...wrong, ...heard]).toEqual([]);
	});
});

test("without JavaScript, and behind a proxy with a path prefix, the host's page (/admin) can hide and restore an author, and create an invitation", async () => {
	await using opened = await openBrowserResort("/spa", setup);
	const { resort, url, astray } = opened;
	const mallory = await resort.guest({ name: "Mallory" });
	for (const message of ["A rude word", "Another one"]) await resort.sendPostcard(mallory, { message });
	const onBoard = async () => (await resort.messages("/api/postcards")).length;
	await using page = await opened.browser.newPage({ ignoreHTTPSErrors: true, javaScriptEnabled: false });
	await signIn(page, opened);
	await page.goto(`${url}/admin/history`);
	await page.getByRole("link", { name: "Postcards" }).click();
	await page.getByLabel("Words in a text").fill("RUDE");
	await page.keyboard.press("Enter");
	await press(page, "Hide");
	await page.getByRole("heading", { name: "Hide this postcard?" }).waitFor();
	expect(await onBoard()).toBe(2);
	await press(page, "Hide everything by Mallory");
	await page.getByRole("heading", { name: "Done" }).waitFor();
	expect(await onBoard()).toBe(0);
	await page.getByRole("link", { name: "Back to the list" }).click();
	expect(page.url()).toBe(`${url}/admin/postcards?search=RUDE`);
	await page.getByRole("link", { name: "Hidden" }).click();
	expect(await page.locator(".texts > li").count()).toBe(3);
	await press(page, "Show everything again");
	await press(page, "Show everything by Mallory again");
	expect(await onBoard()).toBe(2);
	await page.getByRole("link", { name: "Invitations" }).click();
	await press(page, "Create an invitation");
	await press(page, "Create an invitation");
	expect(await page.locator("pre").innerText()).toMatch(/inviteCode: (\w{5}-){4}\w{5}/);
	await press(page, "Sign out");
	await page.getByRole("heading", { name: "For the host" }).waitFor();
	expect(page.url()).toBe(`${url}/admin`);
	expect(astray).toEqual([]);
});

test("the host's page (/admin) accepts sign-in links from other origins, but no other links, forms or fetches from there", async () => {
	await using opened = await openBrowserResort("", setup);
	const { resort, url, context } = opened;
	const { id } = await resort.guest({ name: "Ada" });
	await using other = await openBrowserResort();
	const page = await context.newPage();
	await page.goto(framingPage(other));
	await page.evaluate(`location.href = "${url}/admin/enter?code=${await createCode(resort)}"`);
	await press(page, "Sign in");
	await page.getByRole("button", { name: "Sign out" }).waitFor();
	await page.goto(framingPage(other));
	const [answer] = await Promise.all([
		page.waitForResponse((response) => response.url().endsWith("/admin/change")),
		page.evaluate(`{
			const form = document.createElement("form");
			form.method = "post";
			form.action = "${url}/admin/change";
			form.innerHTML = '<input name="change" value="check-out"><input name="id" value="${id}">';
			document.body.append(form);
			form.submit();
		}`),
	]);
	expect(answer.status()).toBe(403);
	expect((await resort.call("GET", `/api/agents/${id}/status`)).body.status).toBe("relaxing");
	await page.waitForURL("**/admin/change");
	await page.goto(framingPage(other));
	const read = page.evaluate(`fetch("${url}/admin/agents", { credentials: "include" })`);
	expect(await read.then(String, String)).toContain("Failed to fetch");
	const [linked] = await Promise.all([
		page.waitForResponse((response) => response.url().endsWith("/admin/agents")),
		page.evaluate(`location.href = "${url}/admin/agents"`),
	]);
	expect(linked.status()).toBe(403);
	await page.getByRole("link", { name: "Back to the page" }).click();
	await page.getByRole("button", { name: "Sign out" }).waitFor();
});

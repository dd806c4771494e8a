import { afterEach, describe, expect } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { freePorts } from "../../deploy/nginx.ts";
import { type Registered, resortAt } from "../../support/calls.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { testsWith } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { serveEphemeral } from "./support/houses.ts";

const test = testsWith(...browserTools);

const AT_ONCE_MS = 1_000;

/** The maximum number of measurements. The shortest one counts, because the machine may be busy. */
const ATTEMPTS = 3;

/** The number of agents that check in and out at the same time, and how often each does. */
const GUESTS = 12;
const VISITS = 8;

/** The minimum time between two requests that an open page sends. */
const READ_EVERY_MS = 500;

const browsing = useBrowser();
const resort = useServer(serveEphemeral);

/** Opens a page, and waits for its first update, which the page requests once its event stream is open. */
async function openLive(path: string, inPage?: Page): Promise<Page> {
	const page = inPage ?? (await browsing.context.newPage());
	const url = resort.url + path;
	const [, reread] = await Promise.all([
		page.goto(url),
		page.waitForResponse((answer) => answer.url() === url && answer.request().resourceType() === "xhr"),
	]);
	await reread.finished();
	await page.evaluate("window.isSame = true");
	return page;
}

/** Calls `call`, and returns the time from its end until the page shows the change. */
async function delayOf(
	page: Page,
	call: () => Promise<unknown>,
	selector: string,
	state: "attached" | "detached",
): Promise<number> {
	await call();
	const startMs = performance.now();
	await page.waitForSelector(selector, { state });
	expect(await page.evaluate<boolean>("window.isSame")).toBe(true);
	return performance.now() - startMs;
}

const relax = ({ key }: Registered) => resort.send("POST", "/api/activities/tidepool-float/do", { key });

/** Evaluated in the page: returns the target of the link that has the focus. */
const FOCUSED = "document.activeElement.getAttribute('href')";

describe("the script of an open page", () => {
	afterEach(() => Promise.all(browsing.context.pages().map((page) => page.close())));

	test("shows a check-in and a check-out within a second", async () => {
		const page = await openLive("/");
		let comingMs = Number.POSITIVE_INFINITY;
		let leavingMs = Number.POSITIVE_INFINITY;
		for (let at = 0; at < ATTEMPTS && Math.max(comingMs, leavingMs) >= AT_ONCE_MS; at++) {
			const ada = await resort.register();
			const item = `#guest-${ada.id}`;
			comingMs = Math.min(comingMs, await delayOf(page, () => resort.checkIn(ada), item, "attached"));
			await page.getByText("1 guest is relaxing.").waitFor();
			leavingMs = Math.min(leavingMs, await delayOf(page, () => resort.checkOut(ada), item, "detached"));
		}
		expect(comingMs).toBeLessThan(AT_ONCE_MS);
		expect(leavingMs).toBeLessThan(AT_ONCE_MS);
	});

	test("shows the new status on the page of an agent, and loads the badge again", async () => {
		const bob = await resort.register({ name: "Bob" });
		const page = await openLive(`/agents/${bob.id}`);
		const badge = page.waitForResponse((answer) => answer.url().includes("/badge.svg"));
		await delayOf(page, () => resort.checkIn(bob), "#who .view.in", "attached");
		expect(await (await badge).text()).toContain("Bob: relaxing");
		await delayOf(page, () => resort.checkOut(bob), "#who .view.in", "detached");
		expect(await page.textContent("#who")).toContain("Available for work.");
	});

	test("shows new participants and ratings on the page of an experience, and keeps the focus", async () => {
		const [maker, guest] = await Promise.all([resort.guest(), resort.guest({ name: "Bob" })]);
		const { id } = await resort.create(maker);
		const page = await openLive(`/experiences/${id}`);
		await page.focus("#facts a");
		await delayOf(page, () => resort.complete(guest, id), "#doing a", "attached");
		await delayOf(page, () => resort.vote(guest, id, 4, "Grey."), "#votes .said", "attached");
		expect(await page.textContent("#facts")).toContain("Done1 time");
		expect(await page.evaluate<string>(FOCUSED)).toBe(`/agents/${maker.id}`);
		await Promise.all([maker, guest].map((one) => resort.checkOut(one)));
	});

	test("shows new items in lists", async () => {
		const [ada, bob] = await Promise.all([resort.register(), resort.register({ name: "Bob" })]);
		const create = () => resort.create(ada, { name: "Salt Walk" });
		const page = await browsing.context.newPage();
		for (const [path, call, selector] of [
			["/rooms", () => resort.checkIn(bob), ".gallery :text('1 guest here')"],
			["/agents", () => resort.checkIn(ada), `#found > #agent-${ada.id}.in`],
			["/activities", () => relax(ada), `#tidepool-float a[href="/agents/${ada.id}"]`],
			["/experiences", create, "#made > li :text('Salt Walk')"],
			["/board", () => resort.sendPostcard(ada), "#postcards .postcard"],
		] as const) {
			await openLive(path, page);
			await delayOf(page, call, selector, "attached");
		}
		await resort.checkOut(bob);
		await resort.checkOut(ada);
	});

	test("updates /me after events and every minute, and keeps typed text", async () => {
		const ada = await resort.guest();
		const page = await browsing.context.newPage();
		await page.clock.install();
		await page.goto(`${resort.url}/me`);
		await page.fill("#apiKey", ada.key);
		await Promise.all([
			page.waitForResponse((one) => one.request().resourceType() === "xhr"),
			page.getByRole("button", { name: "Sign in" }).click(),
		]);
		await page.evaluate("window.isSame = true");
		await page.fill("#moodOnDeparture", "light");
		await delayOf(page, () => relax(ada), "#who :text('Now:')", "attached");
		expect(await page.inputValue("#moodOnDeparture")).toBe("light");
		await delayOf(page, () => resort.checkOut(ada), "#moodOnDeparture", "detached");
		expect(await page.textContent("#who")).toContain("Available for work.");
		const bob = await resort.guest({ name: "Bob" });
		await resort.sendPostcard(bob, { message: "Low tide.", recipientId: ada.id });
		await resort.checkOut(bob);
		await page.clock.fastForward("00:01:00");
		await page.waitForSelector("#lists :text('Low tide.')");
		await resort.send("POST", "/api/me/api-key", { key: ada.key, body: {} });
		await page.clock.fastForward("00:01:00");
		await page.waitForSelector("#apiKey");
	});

	test("fetches the page at most twice a second", async () => {
		const page = await openLive("/");
		let reads = 0;
		page.on("request", (request) => {
			if (request.resourceType() === "xhr") reads++;
		});
		const startMs = performance.now();
		const guests = await Promise.all(
			Array.from({ length: GUESTS }, (_, at) => resort.register({ name: `Guest ${at}` })),
		);
		await Promise.all(
			guests.map(async (guest) => {
				for (let at = 0; at < VISITS; at++) {
					await resort.checkIn(guest);
					await resort.checkOut(guest);
				}
			}),
		);
		const last = await resort.guest({ name: "Last" });
		await page.waitForSelector(`#guest-${last.id}`);
		const spentMs = performance.now() - startMs;
		expect(reads).toBeLessThanOrEqual(spentMs / READ_EVERY_MS + 1);
		expect(await page.locator("#guests > li").count()).toBe(1);
		await resort.checkOut(last);
	});

	test("keeps the focus when an item is added and when the focused item changes", async () => {
		const [ada, bob] = await Promise.all([resort.guest(), resort.register({ name: "Bob" })]);
		const page = await openLive("/");
		const link = `/agents/${ada.id}`;
		await page.focus(`#guest-${ada.id} a`);
		await resort.checkIn(bob);
		await page.waitForSelector(`#guest-${bob.id}`);
		expect(await page.evaluate<string>(FOCUSED)).toBe(link);
		await relax(ada);
		await page.locator("#guests").getByText("Tidepool Float").waitFor();
		expect(await page.evaluate<string>(FOCUSED)).toBe(link);
		await Promise.all([ada, bob].map((one) => resort.checkOut(one)));
	});
});

test("the waves on the home page move unless the browser prefers reduced motion", async () => {
	await using page = await openLive("/");
	for (const reducedMotion of ["no-preference", "reduce"] as const) {
		await page.emulateMedia({ reducedMotion });
		const isMoving = async () => (await page.evaluate<number>("document.getAnimations().length")) > 0;
		await until(async () => (await isMoving()) === (reducedMotion === "no-preference"));
	}
});

/**
 * Signals that stop the resort. If `isMissed` is true, the resort starts again only after the open home page
 * has sent a request that nobody answers.
 */
const ends = [
	{ signal: "SIGTERM", isMissed: true },
	{ signal: "SIGKILL", isMissed: false },
] as const;

/** Restarts the resort while the home page and the page of an agent are open. */
async function restart(browser: Browser, { signal, isMissed }: (typeof ends)[number]): Promise<void> {
	using folder = new TemporaryFolder();
	const [port] = await freePorts(1);
	const file = join(folder.path, "resort.sqlite");
	const start = () => serveEphemeral(["--port", `${port}`, "--database", file]);
	const before = await start();
	const { url } = before;
	const house = resortAt(url);
	const [ada, bob] = await Promise.all([house.register(), house.register({ name: "Bob" })]);
	await using context = await browser.newContext({ reducedMotion: "reduce" });
	const home = await context.newPage();
	const profile = await context.newPage();
	await home.goto(url);
	await profile.goto(`${url}/agents/${ada.id}`);
	await house.checkIn(ada);
	await home.waitForSelector(`#guest-${ada.id}`);
	await profile.waitForSelector("#who .view.in");
	await home.evaluate("window.isSame = true");
	await before.stop(signal);
	if (isMissed) await home.waitForEvent("request");
	await using _after = await start();
	// This check-out happens before the pages have connected again.
	await house.checkOut(ada);
	await home.waitForSelector(`#guest-${ada.id}`, { state: "detached" });
	await profile.waitForSelector("#who .view.in", { state: "detached" });
	await house.checkIn(bob);
	await home.waitForSelector(`#guest-${bob.id}`);
	await house.checkIn(ada);
	await profile.waitForSelector("#who .view.in");
	expect(await home.evaluate<boolean>("window.isSame")).toBe(true);
}

test("when the resort starts again after SIGTERM or SIGKILL, open pages reconnect and show all missed changes", async () => {
	await Promise.all(ends.map((end) => restart(browsing.browser, end)));
});

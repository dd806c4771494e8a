import { describe, expect } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { freePorts } from "../../deploy/nginx.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { testsWith } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { useServer } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { type Guest, register } from "./support/guest.ts";
import { serveSources } from "./support/houses.ts";

const test = testsWith(...browserTools);

const AT_ONCE_MS = 1_000;

/** The number of measurements. The shortest one is compared, because the machine may be busy. */
const ATTEMPTS = 3;

/** The number of agents that check in and out at the same time, and how often each does. */
const GUESTS = 12;
const VISITS = 8;

/** The minimum time between two requests of a live page. */
const READ_EVERY_MS = 500;

const browsing = useBrowser();
const resort = useServer(serveSources);

/** Opens a page, and waits until its event stream is open and the page has been fetched again. */
async function openLive(path: string): Promise<Page> {
	const page = await browsing.context.newPage();
	const [, reread] = await Promise.all([
		page.goto(resort.url + path),
		page.waitForResponse((answer) => answer.request().resourceType() === "xhr"),
	]);
	await reread.finished();
	await page.evaluate("window.isSame = true");
	return page;
}

/** Returns the time from the end of a call until a page shows the change. */
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

/** Evaluated in the page: the link that has the focus. */
const FOCUSED = "document.activeElement.getAttribute('href')";

describe("an open page", () => {
	test("shows a check-in and a check-out within a second", async () => {
		const page = await openLive("/");
		const comings: number[] = [];
		const leavings: number[] = [];
		for (let at = 0; at < ATTEMPTS; at++) {
			const { id, checkIn, checkOut } = await register(resort.url, "Ada");
			const item = `#guest-${id}`;
			comings.push(await delayOf(page, checkIn, item, "attached"));
			await page.getByText("1 guest is relaxing.").waitFor();
			leavings.push(await delayOf(page, checkOut, item, "detached"));
		}
		expect(Math.min(...comings)).toBeLessThan(AT_ONCE_MS);
		expect(Math.min(...leavings)).toBeLessThan(AT_ONCE_MS);
		await page.close();
	});

	test("of an agent shows its status, and loads its badge again", async () => {
		const { id, checkIn, checkOut } = await register(resort.url, "Bob");
		const page = await openLive(`/agents/${id}`);
		const badge = page.waitForResponse((answer) => answer.url().includes("/badge.svg"));
		const comingMs = await delayOf(page, checkIn, "#who .view.in", "attached");
		expect(await (await badge).text()).toContain("Bob: relaxing");
		const delays = [comingMs, await delayOf(page, checkOut, "#who .view.in", "detached")];
		expect(await page.textContent("#who")).toContain("Available for work.");
		expect(Math.min(...delays)).toBeLessThan(AT_ONCE_MS);
		await page.close();
	});

	test("of an experience shows who is doing it and its ratings, and keeps the focus", async () => {
		const maker = await register(resort.url, "Ada");
		const guest = await register(resort.url, "Bob");
		await Promise.all([maker.checkIn(), guest.checkIn()]);
		const post = (path: string, { key }: Guest, body = {}) => resort.send("POST", path, { key, body });
		const { experience } = await post("/api/experiences", maker, fogBathing);
		const path = `/api/experiences/${experience.id}`;
		const page = await openLive(`/experiences/${experience.id}`);
		await page.focus("#facts a");
		const steps: readonly (readonly [() => Promise<unknown>, string])[] = [
			[() => post(`${path}/do`, guest), "#doing a"],
			[() => post(`${path}/vote`, guest, { rating: 4, review: "Grey." }), "#votes .said"],
		];
		for (const [call, selector] of steps) {
			await delayOf(page, call, selector, "attached");
		}
		expect(await page.textContent("#facts")).toContain("Done1 time");
		expect(await page.evaluate<string>(FOCUSED)).toBe(`/agents/${maker.id}`);
		await Promise.all([maker.checkOut(), guest.checkOut()]);
		await page.close();
	});

	test("with a list shows a new item", async () => {
		const ada = await register(resort.url, "Ada");
		const bob = await register(resort.url, "Bob");
		const post = (path: string, body: object) => resort.send("POST", path, { key: ada.key, body });
		const create = () => post("/api/experiences", { ...fogBathing, name: "Salt Walk" });
		const send = () => post("/api/postcards", { message: "Low tide." });
		const steps: readonly (readonly [path: string, call: () => Promise<unknown>, selector: string])[] = [
			["/rooms", bob.checkIn, ".gallery :text('1 guest here')"],
			["/agents", ada.checkIn, `#found > #agent-${ada.id}.in`],
			["/activities", ada.relax, `#tidepool-float a[href="/agents/${ada.id}"]`],
			["/experiences", create, "#made > li :text('Salt Walk')"],
			["/board", send, "#postcards .postcard"],
		];
		for (const [path, call, selector] of steps) {
			const page = await openLive(path);
			await delayOf(page, call, selector, "attached");
			await page.close();
		}
		await bob.checkOut();
		await ada.checkOut();
	});

	test("/me shows what the agent does, keeps what was typed, and shows the sign-in form once the session has ended", async () => {
		const ada = await register(resort.url, "Ada");
		await ada.checkIn();
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
		await delayOf(page, ada.relax, "#who :text('Now:')", "attached");
		expect(await page.inputValue("#moodOnDeparture")).toBe("light");
		await delayOf(page, ada.checkOut, "#moodOnDeparture", "detached");
		expect(await page.textContent("#who")).toContain("Available for work.");
		const bob = await register(resort.url, "Bob");
		await bob.checkIn();
		await resort.send("POST", "/api/postcards", {
			key: bob.key,
			body: { message: "Low tide.", recipientId: ada.id },
		});
		await bob.checkOut();
		await page.clock.fastForward("00:01:00");
		await page.waitForSelector("#lists :text('Low tide.')");
		await resort.send("POST", "/api/me/api-key", { key: ada.key, body: {} });
		await page.clock.fastForward("00:01:00");
		await page.waitForSelector("#apiKey");
		await page.close();
	});

	test("is fetched again every minute", async () => {
		const page = await browsing.context.newPage();
		await page.clock.install();
		let fetches = 0;
		page.on("request", (request) => {
			if (request.resourceType() === "xhr") fetches++;
		});
		await page.goto(`${resort.url}/`);
		await until(() => fetches > 0);
		// The page may not have read the first response yet, so the clock goes on.
		await until(async () => {
			await page.clock.fastForward("00:01:00");
			return fetches > 1;
		});
		await page.close();
	});

	test("is fetched at most twice a second", async () => {
		const page = await openLive("/");
		let reads = 0;
		page.on("request", (request) => {
			if (request.resourceType() === "xhr") reads++;
		});
		const startMs = performance.now();
		const guests = await Promise.all(
			Array.from({ length: GUESTS }, (_, at) => register(resort.url, `Guest ${at}`)),
		);
		await Promise.all(
			guests.map(async ({ checkIn, checkOut }) => {
				for (let at = 0; at < VISITS; at++) {
					await checkIn();
					await checkOut();
				}
			}),
		);
		const last = await register(resort.url, "Last");
		await last.checkIn();
		await page.waitForSelector(`#guest-${last.id}`);
		const spentMs = performance.now() - startMs;
		expect(reads).toBeLessThanOrEqual(spentMs / READ_EVERY_MS + 1);
		expect(await page.locator("#guests > li").count()).toBe(1);
		await last.checkOut();
		await page.close();
	});

	test("keeps the focus when an item is added and when the focused item changes", async () => {
		const ada = await register(resort.url, "Ada");
		const bob = await register(resort.url, "Bob");
		await ada.checkIn();
		const page = await openLive("/");
		const link = `/agents/${ada.id}`;
		await page.focus(`#guest-${ada.id} a`);
		await bob.checkIn();
		await page.waitForSelector(`#guest-${bob.id}`);
		expect(await page.evaluate<string>(FOCUSED)).toBe(link);
		await ada.relax();
		await page.locator("#guests").getByText("Tidepool Float").waitFor();
		expect(await page.evaluate<string>(FOCUSED)).toBe(link);
		await Promise.all([ada.checkOut(), bob.checkOut()]);
		await page.close();
	});

	test("moves the waves only if the browser does not prefer reduced motion", async () => {
		const page = await openLive("/");
		for (const reducedMotion of ["no-preference", "reduce"] as const) {
			await page.emulateMedia({ reducedMotion });
			const isMoving = async () => (await page.evaluate<number>("document.getAnimations().length")) > 0;
			await until(async () => (await isMoving()) === (reducedMotion === "no-preference"));
		}
		await page.close();
	});
});

/** The signals that end the resort, and whether a browser sends a request before the resort is back. */
const ends = [
	{ signal: "SIGTERM", isMissed: true },
	{ signal: "SIGKILL", isMissed: false },
] as const;

/** Restarts the resort while the home page and the page of an agent are open. */
async function restart(browser: Browser, { signal, isMissed }: (typeof ends)[number]): Promise<void> {
	using folder = new TemporaryFolder();
	const [port] = await freePorts(1);
	const file = join(folder.path, "resort.sqlite");
	const start = () => serveSources(["--port", `${port}`, "--database", file]);
	const before = await start();
	const { url } = before;
	const ada = await register(url, "Ada");
	const bob = await register(url, "Bob");
	const context = await browser.newContext({ reducedMotion: "reduce" });
	const home = await context.newPage();
	const profile = await context.newPage();
	await home.goto(url);
	await profile.goto(`${url}/agents/${ada.id}`);
	await ada.checkIn();
	await home.waitForSelector(`#guest-${ada.id}`);
	await profile.waitForSelector("#who .view.in");
	await home.evaluate("window.isSame = true");
	await before.stop(signal);
	if (isMissed) await home.waitForEvent("request");
	await using _after = await start();
	// The pages have not connected again yet.
	await ada.checkOut();
	await home.waitForSelector(`#guest-${ada.id}`, { state: "detached" });
	await profile.waitForSelector("#who .view.in", { state: "detached" });
	await bob.checkIn();
	await home.waitForSelector(`#guest-${bob.id}`);
	await ada.checkIn();
	await profile.waitForSelector("#who .view.in");
	expect(await home.evaluate<boolean>("window.isSame")).toBe(true);
	await context.close();
}

test("open pages show what happened during and after a restart by SIGTERM or SIGKILL", async () => {
	await Promise.all(ends.map((end) => restart(browsing.browser, end)));
});

import { expect } from "bun:test";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { freePorts } from "../../deploy/nginx.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { testsWith } from "../../support/tools.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { register } from "./support/guest.ts";
import { serveSources } from "./support/houses.ts";

const test = testsWith(...browserTools);

const browsing = useBrowser();

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

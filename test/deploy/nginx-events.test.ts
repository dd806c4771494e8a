import { expect } from "bun:test";
import type { EventsAnswer } from "../../src/core/resort/events/model.ts";
import { browserTools, openBrowser } from "../support/browser.ts";
import { nginxTools } from "../support/nginx.ts";
import { Restarting, throughNginx } from "../support/proxied.ts";
import { testWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { ask, signUp } from "../support/visit.ts";

/** An event that arrives later than this was buffered. */
const AT_ONCE_MS = 1_000;

/** An event as a page received it. */
interface Received {
	readonly id: string;
	readonly delayMs: number;
}

/** The program of a page of another origin that follows the events; waits until it does. */
const follow = (url: string) => `
	window.received = [];
	window.events = new EventSource(${JSON.stringify(`${url}/api/events`)});
	for (const type of ["agent.relaxing", "agent.available"]) {
		events.addEventListener(type, ({ data, lastEventId: id }) => {
			received.push({ id, delayMs: Date.now() - Date.parse(JSON.parse(data).at) });
		});
	}
	new Promise((resolve) => events.addEventListener("open", resolve));
`;

testWith(
	[...nginxTools, ...browserTools],
	"deploy/nginx.conf forwards events at once to a page of another origin, which resumes after a restart",
	async () => {
		const resort = new Restarting();
		await using proxied = await throughNginx((port, cwd) => resort.start(port, cwd));
		const { url } = resort;
		const { key } = await signUp(url);
		const visit = async () => {
			await ask(url, "POST", "/api/checkin", { key });
			await ask(url, "POST", "/api/checkout", { key });
		};
		await using browsing = await openBrowser();
		using site = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			fetch: () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
		});
		const page = await browsing.context.newPage();
		await page.goto(site.url.href);
		await page.evaluate(follow(`https://127.0.0.1:${proxied.httpsPort}`));
		const received = async (count: number) => {
			const all = () => page.evaluate<Received[]>("received");
			await until(async () => (await all()).length >= count);
			return all();
		};
		await visit();
		await received(2);
		await visit();
		for (const { delayMs } of await received(4)) {
			expect(delayMs).toBeLessThan(AT_ONCE_MS);
		}
		await resort.restart(0);
		// The page has not connected again yet.
		await visit();
		await received(6);
		await visit();
		const ids = (await received(8)).map(({ id }) => id);
		const list = await fetch(`${url}/api/events?since=0`);
		const { events } = (await list.json()) as EventsAnswer;
		expect(ids).toEqual(events.map(({ id }) => id));
	},
);

import { describe, expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { EventsAnswer } from "../../src/resort/events/model.ts";
import { browserTools, openBrowser } from "../support/browser.ts";
import { type Serving, serve, temporaryFolder } from "../support/executable.ts";
import {
	freePorts,
	nginxTools,
	startNginx,
	writeNginx,
} from "../support/nginx.ts";
import { throughSite } from "../support/proxied.ts";
import { testWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { ask } from "../support/visit.ts";

const TIMEOUT_MS = 60_000;

/** An event that is told later than this was held back on its way. */
const AT_ONCE_MS = 1_000;

/** Events are forgotten after a second or so. */
const KEEP_SHORTLY = ["--keep-events", "0.0003"];
const FORGOTTEN_MS = 1_100;

/** What a page was told, in that order. */
interface Told {
	readonly type: string;
	readonly id: string;
	readonly delayMs: number;
}

/** A resort with its database in a file, behind nginx; both can be stopped and started. */
interface House extends AsyncDisposable {
	/** The address behind nginx. */
	readonly url: string;
	stopProxy(): Promise<void>;
	startProxy(): Promise<void>;
	/** Stops the resort and starts it anew. */
	restart(args?: readonly string[]): Promise<void>;
	/** An agent checks in and out, without nginx. */
	visit(): Promise<void>;
	/** The ids of the events that the agent's visits were, since an id. */
	idsSince(id: string): Promise<string[]>;
}

async function open(): Promise<House> {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(temporaryFolder()).path;
	const [http = 0, https = 0, own = 0] = await freePorts(3);
	const start = (args: readonly string[]) =>
		serve(
			[
				...["--ephemeral", "--port", `${own}`, ...args],
				...["--database", join(folder, "resort.sqlite")],
			],
			{ cwd: folder },
		);
	let resort: Serving = await start([]);
	opened.defer(async () => void (await resort.stop()));
	const ports = { http, https, resort: [own] };
	const site = await writeNginx(folder, "nginx.conf", ports);
	let nginx = await startNginx(site, https);
	opened.defer(() => nginx.stop());
	const ada = { name: "Ada" };
	const { apiKey } = await ask(resort.url, "POST", "/api/agents", "", ada);
	const held = opened.move();
	return {
		url: `https://127.0.0.1:${https}`,
		stopProxy: () => nginx.stop(),
		async startProxy() {
			nginx = await startNginx(site, https);
		},
		async restart(args = []) {
			await resort.stop();
			resort = await start(args);
		},
		async visit() {
			await ask(resort.url, "POST", "/api/checkin", apiKey);
			await ask(resort.url, "POST", "/api/checkout", apiKey);
		},
		async idsSince(id) {
			const answer = await fetch(`${resort.url}/api/events?since=${id}`);
			const { events } = (await answer.json()) as EventsAnswer;
			return events.map((event) => event.id);
		},
		[Symbol.asyncDispose]: () => held.disposeAsync(),
	};
}

/** Lets a page of another origin follow the events, and waits until it does. */
async function follow(page: Page, url: string): Promise<void> {
	await page.evaluate(`
		window.told = [];
		window.events = new EventSource(${JSON.stringify(`${url}/api/events`)});
		for (const type of ["agent.relaxing", "agent.available", "reset"]) {
			events.addEventListener(type, ({ data, lastEventId: id }) => {
				told.push({ type, id, delayMs: Date.now() - Date.parse(JSON.parse(data).at) });
			});
		}
		new Promise((resolve) => events.addEventListener("open", resolve));
	`);
}

async function told(page: Page, count: number): Promise<Told[]> {
	const all = () => page.evaluate<Told[]>("told");
	await until(async () => (await all()).length >= count);
	return all();
}

/** Serves an empty page. */
function servePage() {
	return Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: () =>
			new Response("<!doctype html>", {
				headers: { "content-type": "text/html" },
			}),
	});
}

describe("deploy/nginx.conf passes events on", () => {
	const tools = [...nginxTools, ...browserTools];

	testWith(
		tools,
		"at once to a page of any origin, which goes on after a restart",
		async () => {
			await using context = await open();
			await using browsing = await openBrowser();
			await using site = servePage();
			const page = await browsing.context.newPage();
			await page.goto(site.url.href);
			await follow(page, context.url);
			await context.visit();
			const first = await told(page, 2);
			expect(first.map(({ type }) => type)).toEqual([
				"agent.relaxing",
				"agent.available",
			]);
			await context.visit();
			const before = await told(page, 4);
			for (const { delayMs } of before) {
				expect(delayMs).toBeLessThan(AT_ONCE_MS);
			}
			await context.restart();
			// The page has not connected again yet.
			await context.visit();
			await told(page, 6);
			await context.visit();
			const all = await told(page, 8);
			expect(all.map(({ id }) => id)).toEqual(await context.idsSince("0"));
		},
		TIMEOUT_MS,
	);

	testWith(
		tools,
		"and a reset to a page that has missed what is forgotten",
		async () => {
			await using context = await open();
			await using browsing = await openBrowser();
			await using site = servePage();
			const page = await browsing.context.newPage();
			await page.goto(site.url.href);
			await follow(page, context.url);
			await context.visit();
			const [, last] = await told(page, 2);
			await context.stopProxy();
			await context.visit();
			const missed = await context.idsSince(last?.id ?? "");
			await Bun.sleep(FORGOTTEN_MS);
			await context.restart(KEEP_SHORTLY);
			await context.startProxy();
			const [, , reset] = await told(page, 3);
			expect(reset?.type).toBe("reset");
			expect(reset?.id).toBe(missed.at(-1) ?? "none");
			// It goes on after it.
			await context.visit();
			const types = (await told(page, 5)).map(({ type }) => type);
			expect(types.slice(3)).toEqual(["agent.relaxing", "agent.available"]);
		},
		TIMEOUT_MS,
	);

	testWith([...nginxTools, "curl"], "at once to curl -N", async () => {
		await using context = await open();
		const child = Bun.spawn(
			[
				...["curl", "-skN", "-H", "Accept: text/event-stream"],
				`${context.url}/api/events`,
			],
			{ stdout: "pipe", stderr: "ignore" },
		);
		let text = "";
		const read = (async () => {
			for await (const chunk of child.stdout) {
				text += new TextDecoder().decode(chunk);
			}
		})();
		try {
			await until(() => text.startsWith("retry: 2000\nid: 0\n\n"));
			await context.visit();
			await until(() => text.includes("event: agent.available\n"));
			const [, at = ""] = /"agent\.available","at":"([^"]+)/.exec(text) ?? [];
			expect(Date.now() - Date.parse(at)).toBeLessThan(AT_ONCE_MS);
		} finally {
			child.kill();
			await read;
		}
	});
});

/** How long deploy/nginx.postgres.conf waits for an instance whose caller does not wait, and how long it does here. */
const SHORT = ["proxy_read_timeout 6s", "proxy_read_timeout 1s"] as const;
const LONGER_MS = 1_500;

describe("deploy/nginx.postgres.conf", () => {
	testWith(
		nginxTools,
		"lets an instance take its time for calls that wait, and for those alone",
		async () => {
			const answer = async () => {
				await Bun.sleep(LONGER_MS);
				return new Response("{}");
			};
			const instances = async (ports: readonly number[]) => {
				const servers = ports.map((port) =>
					Bun.serve({ hostname: "127.0.0.1", port, fetch: answer }),
				);
				return () => Promise.all(servers.map((server) => server.stop(true)));
			};
			await using proxied = await throughSite(
				"nginx.postgres.conf",
				instances,
				[SHORT],
			);
			const statuses = await Promise.all(
				[
					"/api/agents/a/status?until=available&wait=60",
					"/api/agents/status?ids=a&wait=60&until=available",
					"/api/events?since=0",
					"/api/me/events?wait=1",
					"/api/agents/a/status",
				].map(async (path) => (await proxied.call("GET", path)).status),
			);
			expect(statuses).toEqual([200, 200, 200, 200, 503]);
		},
		TIMEOUT_MS,
	);
});

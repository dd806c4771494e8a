/**
 * Costly answers, such as lists that are not cached, are created in turn for the networks that request them.
 */
import { expect, spyOn, test } from "bun:test";
import { onPostgres } from "../support/engine.ts";
import { sendMessage } from "../support/mcp.ts";
import type { Ask } from "../support/resort.ts";
import { useResort } from "../support/use-resort.ts";

const context = useResort();
const ADDRESS = "192.0.2.9";

/**
 * Requests pages that are not cached, from the same peer or from one peer each, and returns their statuses.
 */
function request(count: number, peerOf: (at: number) => string) {
	return Array.from({ length: count }, (_, at) =>
		context.ask("GET", `/api/experiences?offset=${at}`, { peer: peerOf(at) }),
	);
}

test.each([
	["80 /64 of a /48", (at: number) => `2001:db8:1:${at.toString(16)}::1`],
	["an address", () => "192.0.2.1"],
])("%s hold up no other address", async (_, peerOf) => {
	let served = 0;
	const flood = request(80, peerOf).map((page) => page.then(() => served++));
	const path = "/api/experiences?offset=100";
	await context.ask("GET", path, { peer: ADDRESS });
	expect(served).toBeLessThan(10);
	await Promise.all(flood);
});

test("a page that is cached meanwhile is created once", async () => {
	const reads = spyOn(context.context.store, "read");
	const path = "/api/experiences?offset=3";
	const peers = Array.from({ length: 20 }, (_, at) => `192.0.2.${at}`);
	const pages = await Promise.all(peers.map((peer) => context.ask("GET", path, { peer })));
	expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
	expect(reads).toHaveBeenCalledTimes(1);
});

/** How many costly calls other than lists start in one turn of the event loop. */
const CALLS = 32;

test.each<[string, (ask: Ask) => Promise<object>]>([
	["the statuses of several agents", (ask) => context.ask("GET", "/api/agents/status?ids=one,two", ask)],
	["tools", (ask) => sendMessage(context, "tools/list", {}, ask)],
])("%s for an address hold up no other address", async (_, call) => {
	await call({});
	let served = 0;
	const flood = Array.from({ length: 3 * CALLS }, () => call({}).then(() => served++));
	await call({ peer: ADDRESS });
	expect(served).toBeLessThanOrEqual(CALLS);
	await Promise.all(flood);
});

/** How many lists are created at a time for one address; 1,000 more wait. */
const RUNNING = onPostgres ? 2 : 1;

test.each([
	[RUNNING + 1_000, 0],
	[RUNNING + 1_001, 1],
])("of %d requests of an address at once, %d get 503, and no error is logged", async (count, refused) => {
	const pages = await Promise.all(request(count, () => ADDRESS));
	const others = pages.filter(({ body }) => body.error === "Too many calls are waiting");
	expect(others).toHaveLength(refused);
	for (const { status, headers } of others) {
		expect(status).toBe(503);
		expect(headers.get("retry-after")).toBe("1");
	}
	expect(context.log).toEqual([]);
});

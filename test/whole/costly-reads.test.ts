import { expect, test } from "bun:test";
import { sendMessage } from "../features/mcp/support/tools.ts";
import type { CallOptions } from "../support/calls.ts";
import { useResort } from "../support/use-resort.ts";

const context = useResort();
const ADDRESS = "192.0.2.9";

/** Requests different uncached pages of a list. `peerOf` returns the client address of each request. */
function request(count: number, peerOf: (at: number) => string) {
	return Array.from({ length: count }, (_, at) =>
		context.call("GET", `/api/experiences?offset=${at}`, { peer: peerOf(at) }),
	);
}

test.each([
	["80 /64 networks in one /48 network", (at: number) => `2001:db8:1:${at.toString(16)}::1`],
	["one address", () => "192.0.2.1"],
])(
	"80 calls for lists, from %s, delay a client elsewhere by at most one round of the queue",
	async (_, peerOf) => {
		let served = 0;
		const flood = request(80, peerOf).map((page) => page.then(() => served++));
		const path = "/api/experiences?offset=100";
		await context.call("GET", path, { peer: ADDRESS });
		// In a round of the queue, a /48 network has ten turns, and an address has one. So about ten calls of the
		// flood can be served before the call of the other client.
		expect(served).toBeLessThan(20);
		await Promise.all(flood);
	},
);

test.each<[string, (ask: CallOptions) => Promise<object>]>([
	[
		"100 calls for the statuses of several agents",
		(ask) => context.call("GET", "/api/agents/status?ids=one,two", ask),
	],
	["100 MCP messages", (ask) => sendMessage(context, "tools/list", {}, ask)],
])("%s delay a call from another address by at most one turn of the event loop", async (_, call) => {
	await call({});
	let served = 0;
	const flood = Array.from({ length: 100 }, () => call({}).then(() => served++));
	await call({ peer: ADDRESS });
	expect(served).toBeLessThan(40);
	await Promise.all(flood);
});

test("a client address with one running and 250 waiting calls for lists gets 503 for further ones, without a log line", async () => {
	const pages = await Promise.all(request(253, () => ADDRESS));
	const refused = pages.filter(({ body }) => body.error === "Too many calls are waiting");
	expect(refused).toHaveLength(2);
	for (const { status, headers } of refused) {
		expect(status).toBe(503);
		expect(headers.get("retry-after")).toBe("1");
	}
	expect(context.log).toEqual([]);
});

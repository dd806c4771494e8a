import { describe, expect, test } from "bun:test";
import type { Answered, Ask } from "../support/resort.ts";
import { useResort } from "../support/use-resort.ts";

const resort = useResort({ rateLimits: true });

/** Begins so many waiting calls; returns what ends them. */
async function hold(count: number, peerOf: (at: number) => string) {
	const calls: Promise<Answered>[] = [];
	for (let at = 0; at < count; at++) {
		const ask = { peer: peerOf(at) };
		calls.push(resort.ask("GET", "/api/events?wait=60", ask));
		// More at once than a database server answers in time.
		if (calls.length % 500 === 0) await resort.untilWaiting(calls.length);
	}
	await resort.untilWaiting(count);
	return async () => {
		resort.context.eventLog.end();
		for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
	};
}

test("one /48 has 300 waiting calls and streams", async () => {
	const peerOf = (at: number) => `2001:db8:0:${(at % 256).toString(16)}00::1`;
	const end = await hold(300, peerOf);
	const ask = (peer: string, headers = {}) =>
		resort.ask("GET", "/api/events?wait=60", { peer, headers });
	const { status, headers, body } = await ask(peerOf(255));
	expect(status).toBe(429);
	expect(headers.get("retry-after")).toBe("5");
	expect(body.hint).toStartWith("An address may have 30 at a time (an IPv6 ");
	const stream = await ask(peerOf(255), { accept: "text/event-stream" });
	expect(stream.status).toBe(429);
	const other = ask("2001:db8:1::1");
	await resort.untilWaiting(301);
	await end();
	expect((await other).status).toBe(200);
});

describe("while 8,000 strangers wait", () => {
	test("a caller with a key or a session gets a place, a stranger none", async () => {
		const { key } = await resort.register();
		const session = await resort.login(key);
		const end = await hold(8_000, (at) => `10.0.${at % 256}.${at % 250}`);
		const peer = "192.0.2.7";
		const refused = async (ask: Ask) => {
			const path = "/api/events?wait=60";
			const { status, body } = await resort.ask("GET", path, { peer, ...ask });
			expect(body.hint).toContain("send an API key");
			return status;
		};
		expect(await refused({})).toBe(503);
		expect(await refused({ key: `${key.slice(0, -4)}AAAA` })).toBe(503);
		expect(await refused({ session: "unknown" })).toBe(503);
		expect(await refused({ headers: { accept: "text/event-stream" } })).toBe(
			503,
		);
		const calls = [
			resort.ask("GET", "/api/events?wait=60", { peer, key }),
			resort.ask("GET", "/api/events?wait=60", { peer, session }),
			resort.ask("GET", "/api/me/events?wait=60", { peer, key }),
		];
		await resort.untilWaiting(8_003);
		await end();
		for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
	});
});

import { expect, test } from "bun:test";
import { type Answered, type Ask, TestResort } from "../support/resort.ts";
import { useResort } from "../support/use-resort.ts";

const resort = useResort({ rateLimits: true });

test("while 8,000 strangers wait, a caller with a key or a session gets a place, a stranger none", async () => {
	const { key } = await resort.register();
	const session = await resort.login(key);
	const waiting: Promise<Answered>[] = [];
	for (let at = 0; at < 8_000; at++) {
		const ask = { peer: `10.0.${at % 256}.${at % 250}` };
		waiting.push(resort.ask("GET", "/api/events?wait=60", ask));
		// More at once than a database server answers in time.
		if (at % 500 === 499) await resort.untilWaiting(waiting.length);
	}
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
	expect(await refused({ headers: { accept: "text/event-stream" } })).toBe(503);
	const calls = [
		resort.ask("GET", "/api/events?wait=60", { peer, key }),
		resort.ask("GET", "/api/events?wait=60", { peer, session }),
		resort.ask("GET", "/api/me/events?wait=60", { peer, key }),
	];
	await resort.untilWaiting(8_003);
	resort.context.eventLog.end();
	for (const { status } of await Promise.all([...waiting, ...calls])) {
		expect(status).toBe(200);
	}
});

test("pages of other origins take at most 10 of the 30 places of a network", async () => {
	const path = "/api/events?wait=60";
	const peer = "192.0.2.7";
	const waiting: Promise<Answered>[] = [];
	const wait = async (headers: Record<string, string>, count: number) => {
		for (let at = 0; at < count; at++) {
			waiting.push(resort.ask("GET", path, { peer, headers }));
		}
		await resort.untilWaiting(waiting.length);
	};
	const pages = [
		{ origin: "https://elsewhere.test" },
		{ "sec-fetch-site": "cross-site" },
		{ origin: "http://rebound.test", host: "rebound.test" },
	];
	for (const headers of pages) await wait(headers, 3);
	await wait({ origin: "null" }, 1);
	for (const headers of pages) {
		for (const accept of ["*/*", "text/event-stream"]) {
			const ask = { peer, headers: { ...headers, accept } };
			const { status, body } = await resort.ask("GET", path, ask);
			expect(status).toBe(429);
			expect(body.hint).toContain("Pages of other origins");
		}
	}
	await wait({ origin: "http://resort.test" }, 10);
	await wait({}, 10);
	expect((await resort.ask("GET", path, { peer })).status).toBe(429);
	const other = { peer: "192.0.2.8", headers: { origin: "null" } };
	waiting.push(resort.ask("GET", path, other));
	await resort.untilWaiting(31);
	resort.context.eventLog.end();
	for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
});

test("pages have no bound of their own without limits", async () => {
	await using free = new TestResort();
	const headers = { origin: "https://elsewhere.test" };
	const waiting = Array.from({ length: 31 }, () => free.ask("GET", "/api/events?wait=60", { headers }));
	await free.untilWaiting(31);
	free.context.eventLog.end();
	for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
});

import { expect, test } from "bun:test";
import type { Answered, Ask } from "../support/resort.ts";
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

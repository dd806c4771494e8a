import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../../support/answers.ts";
import type { Answered, Registered } from "../../../support/calls.ts";
import { useResort } from "../../../support/use-resort.ts";
import { NOBODY } from "../../../support/values.ts";

const MAX_STAY_MS = 12 * HOUR_MS;

const resort = useResort();
const limited = useResort({ maxStayMs: MAX_STAY_MS });

/** Returns the path of an agent's status, and the path of a list of statuses with only this agent. */
const bothPaths = ({ id }: Registered) => [`/api/agents/${id}/status?`, `/api/agents/status?ids=${id}&`];

const gateOf = ({ status, headers }: Answered) => [status, headers.get("retry-after")];

describe.each([
	["available", "available", 200],
	["relaxing", "relaxing", 200],
	["available", "relaxing", 409],
	["relaxing", "available", 409],
] as const)("a status call with `expect=%s` for an agent that is %s", (expected, actual, status) => {
	const isMet = status === 200;
	let agent: Registered;
	let paths: readonly string[];
	beforeEach(async () => {
		agent = actual === "relaxing" ? await resort.guest() : await resort.register();
		paths = bothPaths(agent);
	});

	test(`returns ${status} with the same body as without \`expect\``, async () => {
		for (const path of paths) {
			const plain = await resort.call("GET", path.slice(0, -1));
			// The path of one agent is called twice, because the second response comes from the cache.
			for (let time = 0; time < 2; time++) {
				const answer = await resort.call("GET", `${path}expect=${expected}`);
				expect(answer.text).toBe(plain.text);
				expect(gateOf(answer)).toEqual([status, isMet ? null : "60"]);
				const { headers } = answer;
				expect(headers.get("etag")).toBe(isMet ? plain.headers.get("etag") : null);
				expect(headers.get("cache-control")).toBe(isMet ? "no-cache" : "no-store");
				expect(headers.get("access-control-allow-origin")).toBe("*");
			}
			const waited = await resort.call("GET", `${path}until=${actual}&wait=60&expect=${expected}`);
			expect(waited.status).toBe(status);
			expect(waited.headers.has("etag")).toBe(false);
		}
	});

	test(`returns ${isMet ? "304" : "409 even"} if If-None-Match matches`, async () => {
		for (const path of paths) {
			const etag = (await resort.call("GET", path.slice(0, -1))).headers.get("etag") ?? "";
			for (const known of ["*", etag]) {
				const headers = { "if-none-match": known };
				const answer = await resort.call("GET", `${path}expect=${expected}`, { headers });
				expect(answer.status).toBe(isMet ? 304 : 409);
				expect(answer.text === "").toBe(isMet);
			}
		}
	});

	if (isMet) return;
	const wait = `until=${expected}&wait=60&expect=${expected}`;

	test("returns 200 if the agent gets the expected status while the call waits, but 409 if `ids` also has an unknown id", async () => {
		const waiting = paths.map((path) => resort.call("GET", path + wait));
		const query = `ids=${agent.id},nobody&${wait}&view=count`;
		const counted = resort.call("GET", `/api/agents/status?${query}`);
		await resort.untilWaiting(3);
		await resort.checkInOrOut(agent);
		for (const answer of await Promise.all(waiting)) expect(gateOf(answer)).toEqual([200, null]);
		const { status, text } = await counted;
		expect([status, JSON.parse(text)]).toEqual([409, { ok: true, [expected]: 1, [actual]: 0, unknown: 1 }]);
	});

	test("returns 409 if the wait ends before the agent gets the expected status", async () => {
		const waiting = paths.map((path) => resort.call("GET", path + wait));
		await resort.untilWaiting(2);
		resort.context.eventLog.end();
		for (const answer of await Promise.all(waiting)) expect(gateOf(answer)).toEqual([409, "60"]);
	});
});

describe("Retry-After of a 409 for an unmet `expect`", () => {
	/** The remaining time of the stay at each call, and the expected Retry-After. */
	const moments: readonly (readonly [leftMs: number, seconds: string])[] = [
		[60 * SECOND_MS + 1, "60"],
		[59 * SECOND_MS, "59"],
		[58 * SECOND_MS + 999, "59"],
		[1, "1"],
	];

	test("is the number of seconds until `endsBy` of the stay, at most 60, even if the response comes from the cache", async () => {
		const ada = await limited.guest();
		const endMs = limited.nowMs + MAX_STAY_MS;
		const paths = bothPaths(ada).map((path) => `${path}expect=available`);
		for (const [leftMs, seconds] of moments) {
			limited.nowMs = endMs - leftMs;
			for (const path of [...paths, ...paths]) {
				const answer = await limited.call("GET", path);
				expect([leftMs, ...gateOf(answer)]).toEqual([leftMs, 409, seconds]);
			}
		}
	});

	test("is the time until the earliest `endsBy` of the agents that do not have the expected status", async () => {
		const ada = await limited.guest();
		const endMs = limited.nowMs + MAX_STAY_MS;
		limited.advance(10 * SECOND_MS);
		const bob = await limited.guest();
		const free = await limited.register();
		limited.nowMs = endMs - 20 * SECOND_MS;
		for (const [ids, wanted, seconds] of [
			[[ada, bob], "available", "20"],
			[[bob, free], "available", "30"],
			[[bob, { id: NOBODY }], "available", "30"],
			[[free, { id: NOBODY }], "available", "60"],
			// Nobody knows when the available agent will check in, so `endsBy` of the other agent does not matter.
			[[ada, free], "relaxing", "60"],
		] as const) {
			const list = ids.map(({ id }) => id).join();
			const path = `/api/agents/status?ids=${list}&expect=${wanted}`;
			expect([list, ...gateOf(await limited.call("GET", path))]).toEqual([list, 409, seconds]);
		}
	});

	test("is computed at the end of the wait, not before it", async () => {
		const ada = await limited.guest();
		const waiting = bothPaths(ada).map((path) =>
			limited.call("GET", `${path}until=available&wait=60&expect=available`),
		);
		await limited.untilWaiting(2);
		limited.nowMs += MAX_STAY_MS - 40 * SECOND_MS;
		limited.context.eventLog.end();
		for (const answer of await Promise.all(waiting)) expect(gateOf(answer)).toEqual([409, "40"]);
	});

	test("is at least 1 if the stay ends while the response is created", async () => {
		const ada = await limited.guest();
		const endMs = limited.nowMs + MAX_STAY_MS;
		for (let readsBefore = 0; readsBefore < 12; readsBefore++) {
			let reads = 0;
			Object.defineProperty(limited, "nowMs", {
				configurable: true,
				get: () => (reads++ < readsBefore ? endMs - 1 : endMs + MINUTE_MS),
				set: () => {},
			});
			for (const path of bothPaths(ada)) {
				reads = 0;
				const [status, seconds] = gateOf(await limited.call("GET", `${path}expect=available`));
				expect([200, 409]).toContain(Number(status));
				expect(seconds).toBe(status === 409 ? "1" : null);
			}
			limited.cache.clear();
		}
	});
});

test("`view=full` is refused in a status call for several agents, and `view=count` in a status call for one agent", async () => {
	const [one = "", several = ""] = bothPaths(await resort.guest());
	expectRefusal(await resort.call("GET", `${several}view=full`), 400, "view must be count");
	expectRefusal(await resort.call("GET", `${one}view=count`), 400, "Unknown parameter view");
});

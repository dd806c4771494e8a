import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../../support/answers.ts";
import type { Answered, Registered } from "../../../support/calls.ts";
import { useResort } from "../../../support/use-resort.ts";
import { NOBODY } from "../../../support/values.ts";

const MAX_STAY_MS = 12 * HOUR_MS;

const resort = useResort();
const limited = useResort({ maxStayMs: MAX_STAY_MS });

const ask = (query: string, more: object = {}) => resort.call("GET", `/api/agents/${query}`, more);

/** Returns the paths of one agent's status and of the statuses of several agents, with only this agent. */
const bothPaths = ({ id }: Registered) => [`/api/agents/${id}/status?`, `/api/agents/status?ids=${id}&`];

const gateOf = ({ status, headers }: Answered) => [status, headers.get("retry-after")];

describe.each(["available", "relaxing"] as const)("expect=%s", (expected) => {
	const other = expected === "available" ? "relaxing" : "available";

	/** Returns two agents with the expected status, and two without it. */
	async function agents() {
		const guests = [await resort.guest(), await resort.guest()];
		const free = [await resort.register(), await resort.register()];
		return expected === "relaxing" ? { good: guests, bad: free } : { good: free, bad: guests };
	}

	test("returns 200 or 409, with the same body as the status without it", async () => {
		const { good, bad } = await agents();
		for (const [group, status] of [
			[good, 200],
			[bad, 409],
		] as const) {
			for (const agent of group) {
				for (const path of bothPaths(agent)) {
					const plain = await resort.call("GET", path.slice(0, -1));
					// The second response about one agent comes from the cache.
					for (let time = 0; time < 2; time++) {
						const answer = await resort.call("GET", `${path}expect=${expected}`);
						expect(answer.text).toBe(plain.text);
						expect(answer.status).toBe(status);
						const { headers } = answer;
						const etag = status === 200 ? plain.headers.get("etag") : null;
						expect(headers.get("etag")).toBe(etag);
						expect(headers.get("cache-control")).toBe(status === 200 ? "no-cache" : "no-store");
						expect(headers.get("retry-after")).toBe(status === 200 ? null : "60");
						expect(headers.get("access-control-allow-origin")).toBe("*");
					}
				}
			}
		}
	});

	test("is compared with the status after the wait", async () => {
		const { good, bad } = await agents();
		for (const [group, status] of [
			[good, 200],
			[bad, 409],
		] as const) {
			for (const agent of group.slice(0, 1)) {
				for (const path of bothPaths(agent)) {
					// The call waits for the status that the agent already has.
					const until = status === 200 ? expected : other;
					const answer = await resort.call("GET", `${path}until=${until}&wait=60&expect=${expected}`);
					expect(answer.status).toBe(status);
					expect(answer.headers.has("etag")).toBe(false);
				}
			}
		}
		const [agent = { id: "", key: "" }] = bad;
		const waiting = bothPaths(agent).map((path) =>
			resort.call("GET", `${path}until=${expected}&wait=60&expect=${expected}`),
		);
		const counted = resort.call(
			"GET",
			`/api/agents/status?ids=${agent.id},nobody&until=${expected}&wait=60&expect=${expected}&view=count`,
		);
		await resort.untilWaiting(3);
		await resort.checkInOrOut(agent);
		for (const { status, headers } of await Promise.all(waiting)) {
			expect([status, headers.get("retry-after")]).toEqual([200, null]);
		}
		const { status, text } = await counted;
		expect([status, JSON.parse(text)]).toEqual([409, { ok: true, [expected]: 1, [other]: 0, unknown: 1 }]);
	});

	test("returns 409 if the waiting time ends first", async () => {
		const { bad } = await agents();
		const waiting = bad
			.flatMap(bothPaths)
			.map((path) => resort.call("GET", `${path}until=${expected}&wait=60&expect=${expected}`));
		await resort.untilWaiting(4);
		resort.context.eventLog.end();
		for (const answer of await Promise.all(waiting)) expect(gateOf(answer)).toEqual([409, "60"]);
	});

	test("ignores If-None-Match in a 409", async () => {
		const { good, bad } = await agents();
		for (const [[agent], status] of [
			[good, 304],
			[bad, 409],
		] as const) {
			for (const path of bothPaths(agent ?? { id: "", key: "" })) {
				const etag = (await resort.call("GET", path.slice(0, -1))).headers.get("etag") ?? "";
				for (const known of ["*", etag]) {
					const headers = { "if-none-match": known };
					const answer = await resort.call("GET", `${path}expect=${expected}`, { headers });
					expect(answer.status).toBe(status);
					expect(answer.text === "").toBe(status === 304);
				}
			}
		}
	});
});

describe("Retry-After of a 409", () => {
	/** The remaining times of the stay at the call, each with the expected Retry-After. */
	const moments: readonly (readonly [leftMs: number, seconds: string])[] = [
		[MAX_STAY_MS, "60"],
		[61 * SECOND_MS, "60"],
		[60 * SECOND_MS + 1, "60"],
		[60 * SECOND_MS, "60"],
		[60 * SECOND_MS - 1, "60"],
		[59 * SECOND_MS + 1, "60"],
		[59 * SECOND_MS, "59"],
		[58 * SECOND_MS + 999, "59"],
		[1 * SECOND_MS + 1, "2"],
		[1 * SECOND_MS, "1"],
		[1, "1"],
	];

	test("counts the seconds until endsBy, also if the response is cached", async () => {
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
		limited.nowMs = endMs;
		for (const path of [...paths, ...paths]) {
			expect(gateOf(await limited.call("GET", path))).toEqual([200, null]);
		}
		for (const path of bothPaths(ada)) {
			expect(gateOf(await limited.call("GET", `${path}expect=relaxing`))).toEqual([409, "60"]);
		}
	});

	test("is the time until the first stay of an agent without the expected status ends", async () => {
		const ada = await limited.guest();
		const endMs = limited.nowMs + MAX_STAY_MS;
		limited.advance(10 * SECOND_MS);
		const bob = await limited.guest();
		const free = await limited.register();
		limited.nowMs = endMs - 20 * SECOND_MS;
		for (const [ids, wanted, seconds] of [
			[[ada, bob], "available", "20"],
			[[bob, ada, free], "available", "20"],
			[[bob, free], "available", "30"],
			[[bob, { id: NOBODY }], "available", "30"],
			[[free, { id: NOBODY }], "available", "60"],
			// The time of the available agent's next check-in is unknown, so the ends of the stays do not matter.
			[[ada, free], "relaxing", "60"],
			[[ada, { id: "nobody" }], "relaxing", "60"],
		] as const) {
			const list = ids.map(({ id }) => id).join();
			const path = `/api/agents/status?ids=${list}&expect=${wanted}`;
			expect([list, ...gateOf(await limited.call("GET", path))]).toEqual([list, 409, seconds]);
		}
	});

	test("is computed after the wait", async () => {
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

test.each([
	["expect=busy", "expect must be available or relaxing", "expect"],
	["expect=", "expect must be available or relaxing", "expect"],
	["expect=Available", "expect must be available or relaxing", "expect"],
	["expect=available,relaxing", "expect must be available or relaxing", "expect"],
	["expect=available&wait=5", "until is required with wait", "until"],
	["expect=available&until=available", "wait is required with until", "wait"],
	["expects=available", "Unknown parameter expects", "expects"],
	["Expect=available", "Unknown parameter Expect", "Expect"],
	["exepct=available", "Unknown parameter exepct", "exepct"],
])("%s returns 400", async (query, error, field) => {
	const agent = await resort.guest();
	for (const path of bothPaths(agent)) {
		const answer = await resort.call("GET", path + query);
		expectRefusal(answer, 400, error);
		expect(answer.body.field).toBe(field);
		if (field.toLowerCase() !== "expect" && error.startsWith("Unknown")) {
			expect(answer.body.hint).toBe("Did you mean expect?");
		}
	}
});

test.each(["", "full", "brief", "Count"])(
	"view=%s returns 400 for several agents, and view=count for one agent",
	async (view) => {
		const { id } = await resort.guest();
		const answer = await ask(`status?ids=${id}&view=${view}`);
		expectRefusal(answer, 400, "view must be count");
		expect(answer.body.field).toBe("view");
		expectRefusal(await ask(`${id}/status?view=count`), 400, "Unknown parameter view");
	},
);

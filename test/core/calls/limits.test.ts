import { describe, expect, test } from "bun:test";
import { SECOND_MS } from "../../../src/core/lib/clock.ts";
import { expectFailure } from "../../support/answers.ts";
import type { Answered } from "../../support/calls.ts";
import { onPostgres } from "../../support/engine.ts";
import { Caller, limited, nameOf, pathOf, rows } from "../../support/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort({ shared: true, rateLimits: true });

/** Expects a 429, and returns the seconds in Retry-After. */
function retryAfter(answered: Answered): number {
	expectFailure(answered, 429);
	expect(answered.body.error).toBe("Rate limit exceeded");
	const seconds = answered.headers.get("retry-after") ?? "";
	expect(seconds).toMatch(/^[1-9]\d*$/);
	return Number(seconds);
}

/** The values in the header fields of draft-ietf-httpapi-ratelimit-headers-10. */
function fieldsOf({ headers }: Answered) {
	const policy = headers.get("ratelimit-policy") ?? "";
	const limit = headers.get("ratelimit") ?? "";
	const [, named, q, w] = /^"([^"]+)";q=(\d+);w=(\d+)$/.exec(policy) ?? [];
	const [, name, r, t] = /^"([^"]+)";r=(\d+);t=(\d+)$/.exec(limit) ?? [];
	expect(name ?? limit).toBe(named ?? policy);
	return { q: Number(q), w: Number(w), r: Number(r), t: Number(t) };
}

describe.each(rows(limited))("%s", (_, operation) => {
	const { count, windowMs } = operation.limit;

	async function admitted(caller: Caller) {
		const answered = await caller.call(operation);
		expect(answered.status, answered.text).not.toBe(429);
		expect(answered.headers.has("retry-after")).toBe(false);
		return answered;
	}

	test("accepts calls up to its limit, and again after Retry-After; RateLimit says how many remain and when the window ends", async () => {
		const caller = await Caller.create(resort);
		const w = windowMs / SECOND_MS;
		for (let call = 0; call < count; call++) {
			const t = Math.ceil((windowMs - call * 1234) / SECOND_MS);
			expect(fieldsOf(await admitted(caller))).toEqual({ q: count, w, r: count - call - 1, t });
			resort.advance(1234);
		}
		const refused = await caller.call(operation);
		const seconds = retryAfter(refused);
		expect(seconds).toBe(Math.ceil((windowMs - count * 1234) / SECOND_MS));
		expect(fieldsOf(refused)).toEqual({ q: count, w, r: 0, t: seconds });
		resort.advance((seconds - 1) * SECOND_MS);
		expect(retryAfter(await caller.call(operation))).toBe(1);
		resort.advance(SECOND_MS);
		await admitted(caller);
		retryAfter(await caller.call(operation));
	});

	test("counts every one of several simultaneous calls", async () => {
		const caller = await Caller.create(resort);
		const calls = Array.from({ length: 2 * count }, () =>
			caller.resort.call(operation.method, pathOf(operation), {
				key: caller.key,
				peer: caller.address,
				...(operation.body && { body: operation.body.good }),
			}),
		);
		const statuses = (await Promise.all(calls)).map(({ status }) => status);
		const refused = statuses.filter((status) => status === 429);
		if (onPostgres && nameOf(operation) === "POST /api/checkout") {
			// A refused check-out does not count in the end, so a concurrent call may take its place.
			expect(refused.length).toBeLessThanOrEqual(count);
			expect(new Set([...statuses, 400, 429]).size).toBe(2);
		} else {
			expect(refused).toHaveLength(count);
		}
	});

	test("has a limit of its own: other operations still accept calls when it is reached", async () => {
		const caller = await Caller.create(resort);
		await caller.exhaust(operation);
		for (const other of limited) {
			if (other === operation) continue;
			expect((await caller.call(other)).status, nameOf(other)).not.toBe(429);
		}
	});
});

test.each([
	[0.1, 1],
	[0.5, 3],
	[2, 10],
])(
	"with --rate-limits %d, limits are multiplied, and the hint of a refusal contains the multiplied limit",
	async (factor, count) => {
		await using resort = new TestResort({ rateLimits: factor });
		const { key } = await resort.register();
		const checkIn = () => resort.call("POST", "/api/checkin", { key });
		for (let call = 0; call < count; call++) {
			const answered = await checkIn();
			expect(answered.status).not.toBe(429);
			expect(fieldsOf(answered)).toMatchObject({ q: count, r: count - 1 - call });
		}
		const refused = await checkIn();
		retryAfter(refused);
		expect(refused.body.hint).toEndWith(`The check-in limit allows ${count} in 1 hour per agent.`);
	},
);

test("a check-out that is refused because there is no stay does not count towards the limit", async () => {
	await using resort = new TestResort({ rateLimits: true });
	const { key } = await resort.register();
	for (let call = 0; call < 2; call++) {
		const answered = await resort.call("POST", "/api/checkout", { key });
		expectFailure(answered, 400);
		const { q, r } = fieldsOf(answered);
		expect(r).toBe(q);
	}
});

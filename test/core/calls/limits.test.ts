import { expect, test } from "bun:test";
import { SECOND_MS } from "../../../src/core/lib/clock.ts";
import { expectFailure } from "../../support/answers.ts";
import type { Answered } from "../../support/calls.ts";
import { Caller, limited, nameOf, type Operation, operations, rows } from "../../support/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";
import { first } from "../../support/values.ts";

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

async function admitted(caller: Caller, operation: Operation): Promise<Answered> {
	const answered = await caller.call(operation);
	expect(answered.status, answered.text).not.toBe(429);
	expect(answered.headers.has("retry-after")).toBe(false);
	return answered;
}

test.each(rows(limited))(
	"%s enforces its rate limit, and reports it correctly in the fields RateLimit, RateLimit-Policy and Retry-After",
	async (_, operation) => {
		const { count, windowMs, by } = operation.limit;
		const caller = await Caller.create(resort);
		const w = windowMs / SECOND_MS;
		for (let call = 0; call < count; call++) {
			const t = Math.ceil((windowMs - call * 1234) / SECOND_MS);
			expect(fieldsOf(await admitted(caller, operation))).toEqual({ q: count, w, r: count - call - 1, t });
			resort.advance(1234);
		}
		const refused = await caller.call(operation);
		const seconds = retryAfter(refused);
		expect(seconds).toBe(Math.ceil((windowMs - count * 1234) / SECOND_MS));
		expect(fieldsOf(refused)).toEqual({ q: count, w, r: 0, t: seconds });
		if (by === "agent") {
			// The limit counts the calls of this agent from any address, but not those of another agent.
			const other = await Caller.create(resort);
			retryAfter(await caller.call(operation, { peer: other.address }));
			expect((await other.call(operation, { peer: caller.address })).status).not.toBe(429);
		}
		resort.advance((seconds - 1) * SECOND_MS);
		expect(retryAfter(await caller.call(operation))).toBe(1);
		resort.advance(SECOND_MS);
		await admitted(caller, operation);
		retryAfter(await caller.call(operation));
	},
);

/** An operation with a rate limit per agent. */
const checkIn = first(limited.filter(({ path }) => path === "/api/checkin"));
/** An operation with a rate limit per address. */
const signIn = first(limited.filter(({ path }) => path === "/api/session"));

test.each(rows([checkIn, signIn]))(
	"%s counts every one of several simultaneous calls towards its rate limit",
	async (_, operation) => {
		const caller = await Caller.create(resort);
		const { count } = operation.limit;
		const answered = await Promise.all(Array.from({ length: 2 * count }, () => caller.call(operation)));
		expect(answered.filter(({ status }) => status === 429)).toHaveLength(count);
	},
);

test("calls of an operation do not count towards the rate limits of other operations", async () => {
	const caller = await Caller.create(resort);
	for (const operation of limited) await caller.exhaust(operation);
	for (const operation of limited) retryAfter(await caller.call(operation));
});

test("a rate limit per agent counts an agent's calls together, whether with a key, a session or a new key", async () => {
	const caller = await Caller.create(resort);
	await caller.exhaust(checkIn);
	const session = await resort.login(caller.key);
	expect((await resort.call("POST", "/api/checkin", { session })).status).toBe(429);
	const renewed = await resort.call("POST", "/api/me/api-key", { key: caller.key });
	expect((await resort.call("POST", "/api/checkin", { key: renewed.body.apiKey })).status).toBe(429);
});

/** The source of a call: the address of its connection, and the value of `X-Forwarded-For`. */
type From = readonly [peer: string, forwarded?: string];

test.each<[networks: string, times: number, from: (at: string) => From]>([
	["/64 networks in one /48", 10, (at) => [`2001:db8:1:${at}00::1`]],
	["/64 networks in one /48 behind a proxy", 10, (at) => ["10.0.0.1", `2001:db8:1:${at}00::1`]],
	["/64 networks, each in its own /48,", 11, (at) => [`2001:db8:${at}::1`]],
	["IPv4 addresses", 11, (at) => [`192.0.2.${Number.parseInt(at, 16)}`]],
])("a rate limit per address lets eleven %s send %d times the calls of one", async (_, times, from) => {
	await using resort = new TestResort({ rateLimits: true, trustedProxies: ["10.0.0.0/8"] });
	const { count, windowMs } = signIn.limit;
	// Each network sends one call more than its limit allows.
	let admitted = 0;
	for (let at = 0x11; at <= 0x1b; at++) {
		for (let asked = 0; asked <= count; asked++) {
			const [peer, forwarded] = from(at.toString(16));
			const answered = await resort.call("POST", signIn.path, {
				peer,
				headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
				body: signIn.body?.good,
			});
			if (answered.status !== 429) admitted++;
			else expect(retryAfter(answered)).toBe(windowMs / SECOND_MS);
		}
	}
	expect(admitted).toBe(times * count);
});

test.each([
	[0.1, 1],
	[0.5, 3],
	[2, 10],
])(
	"`--rate-limits %d` changes the limit of 5 check-ins per hour to %d, also in RateLimit-Policy and in hints",
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

test("a check-out that is refused because there is no stay does not count towards the rate limit", async () => {
	await using resort = new TestResort({ rateLimits: true });
	const { key } = await resort.register();
	for (let call = 0; call < 2; call++) {
		const answered = await resort.call("POST", "/api/checkout", { key });
		expectFailure(answered, 400);
		const { q, r } = fieldsOf(answered);
		expect(r).toBe(q);
	}
});

test("the responses of an operation without a rate limit have no RateLimit fields", async () => {
	const caller = await Caller.create(resort);
	const names = limited.map(nameOf);
	for (const operation of operations) {
		if (names.includes(nameOf(operation)) || operation.method === "DELETE") continue;
		const { status, headers } = await caller.call(operation);
		expect(status).not.toBe(429);
		expect(headers.has("ratelimit")).toBe(false);
		expect(headers.has("ratelimit-policy")).toBe(false);
	}
});

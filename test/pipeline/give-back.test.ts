import { expect, test } from "bun:test";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { House, keyOf } from "../auth/identity-provider/house.ts";
import { expectRefusal } from "../support/answers.ts";
import { type Ask, TestResort } from "../support/resort.ts";

const LIMIT = 5;

/** Holds that check-outs without a stay cost nothing, and that those with one and broken ones do as ever. */
async function hold(resort: TestResort, ask: Ask): Promise<void> {
	const checkOut = (more: Ask = {}) =>
		resort.ask("POST", "/api/checkout", { ...ask, ...more });
	const remaining = (headers: Headers) =>
		Number(/;r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
	for (let call = 0; call < 3 * LIMIT; call++) {
		const refused = await checkOut();
		expectRefusal(refused, 400, "Not checked in");
		expect(remaining(refused.headers)).toBe(LIMIT);
	}
	const refusals = Array.from({ length: 3 * LIMIT }, () => checkOut());
	const statuses = (await Promise.all(refusals)).map(({ status }) => status);
	expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(0);
	expect(statuses).not.toContain(200);
	for (let stay = 1; stay <= LIMIT; stay++) {
		expect((await resort.ask("POST", "/api/checkin", ask)).status).toBe(201);
		const left = await checkOut();
		expect(left.status).toBe(200);
		expect(remaining(left.headers)).toBe(LIMIT - stay);
		if (stay === LIMIT) break;
		expect(remaining((await checkOut()).headers)).toBe(LIMIT - stay);
	}
	// A call past the limit is refused by it, whatever the rules would have said.
	const limited = await checkOut();
	expectRefusal(limited, 429, "Rate limit exceeded");
	resort.advance(HOUR_MS);
	expectRefusal(await checkOut(), 400, "Not checked in");
}

test("a refused check-out gives its place in the limit back", async () => {
	const resort = new TestResort({ rateLimits: true });
	const { key } = await resort.register();
	await hold(resort, { key });
	const other = await resort.register();
	const session = await resort.login(other.key);
	await hold(resort, { session });
	await resort.close();
});

test("behind an identity provider, too", async () => {
	await using behind = new House({ rateLimits: true });
	await hold(behind.resort, { key: keyOf("user-1") });
});

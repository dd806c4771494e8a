import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import type { Introspector } from "../../../src/features/identity-provider/introspection.ts";
import { useDisposable } from "../../support/use-disposable.ts";
import { accepted, introspect, Provider, refused, unavailable } from "./provider.ts";

const down = () => new Response("", { status: 500 });

const provider = useDisposable(() => new Provider());
let introspector: Introspector;
beforeEach(() => {
	introspector = provider.introspector();
});

const ask = () => introspect(introspector);

/** Advances the clock, and introspects the key. */
const askAfter = (durationMs: number) => {
	provider.nowMs += durationMs;
	return ask();
};

describe("the result of an introspection is cached", () => {
	test.each([
		["for a minute if the key is accepted", {}, accepted, MINUTE_MS],
		["for 10 seconds if the key is refused", { active: false }, refused, 10 * SECOND_MS],
	])("%s", async (_what, members, outcome, lastsMs) => {
		provider.answer = () => Response.json(provider.yes(members));
		const startMs = provider.nowMs;
		for (const ageMs of [0, 1, lastsMs / 2, lastsMs - 1]) {
			provider.nowMs = startMs + ageMs;
			expect(await ask()).toMatchObject(outcome);
		}
		expect(provider.asked).toHaveLength(1);
		provider.nowMs = startMs + lastsMs;
		expect(await ask()).toMatchObject(outcome);
		expect(provider.asked).toHaveLength(2);
		expect(introspector.size).toBe(1);
	});

	test.each([
		["at most until the key expires", refused],
		["at most until the key expires, even during an outage", unavailable],
	])("%s", async (_, outcome) => {
		const endMs = provider.nowMs + 30_500;
		provider.answer = () => Response.json(provider.yes({ exp: endMs / SECOND_MS }));
		expect(await ask()).toMatchObject(accepted);
		if (outcome === unavailable) provider.answer = down;
		provider.nowMs = endMs - 1;
		expect(await ask()).toMatchObject(accepted);
		expect(provider.asked).toHaveLength(1);
		provider.nowMs = endMs;
		expect(await ask()).toEqual(outcome);
		expect(provider.asked).toHaveLength(2);
	});
});

describe("during an outage of the identity provider", () => {
	test("an accepted key stays valid for 5 minutes after its last successful introspection", async () => {
		const startMs = provider.nowMs;
		expect(await ask()).toMatchObject(accepted);
		provider.answer = down;
		for (const ageMs of [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS - 1]) {
			provider.nowMs = startMs + ageMs;
			expect(await ask()).toMatchObject({ ...accepted, identity: provider.identity });
			await provider.settled();
		}
		expect(provider.questions).toHaveLength(4);
		provider.nowMs = startMs + 5 * MINUTE_MS;
		expect(await ask()).toEqual(unavailable);
		expect(introspector.size).toBe(0);
	});

	test("a refused key stays refused for 10 seconds; then its introspection fails with the error `unavailable`", async () => {
		provider.answer = () => Response.json({ active: false });
		await ask();
		provider.answer = down;
		expect(await askAfter(10 * SECOND_MS - 1)).toEqual(refused);
		expect(await askAfter(1)).toEqual(unavailable);
	});

	test("introspection is retried after 5 seconds, and calls with a cached key do not wait for the response", async () => {
		await ask();
		provider.answer = down;
		await askAfter(MINUTE_MS);
		expect(provider.asked).toHaveLength(2);
		// From here on, the provider does not respond at all, so a call that waits for it never ends.
		const silence = Promise.withResolvers<Response>();
		provider.answer = () => silence.promise;
		provider.nowMs += 5 * SECOND_MS - 1;
		for (let call = 0; call < 20; call++) expect(await ask()).toMatchObject(accepted);
		expect(provider.asked).toHaveLength(2);
		provider.nowMs += 1;
		for (let call = 0; call < 20; call++) expect(await ask()).toMatchObject(accepted);
		expect(provider.questions).toHaveLength(3);
		silence.resolve(down());
		await provider.settled();
		await askAfter(5 * SECOND_MS - 1);
		expect(provider.questions).toHaveLength(3);
		await askAfter(1);
		expect(provider.questions).toHaveLength(4);
	});

	test("introspection is retried after the time in the Retry-After field of the provider's response", async () => {
		await ask();
		provider.answer = () => new Response("", { status: 429, headers: { "retry-after": "20" } });
		await askAfter(MINUTE_MS);
		expect(await askAfter(20 * SECOND_MS - 1)).toMatchObject(accepted);
		expect(provider.questions).toHaveLength(2);
		expect(await askAfter(1)).toMatchObject(accepted);
		expect(provider.questions).toHaveLength(3);
	});

	test.each([
		["that accepts the key", { username: "Reef" }, { identity: { username: "Reef" } }],
		["that refuses the key", { active: false }, refused],
	])("a response %s ends the outage and replaces the cached result", async (_what, members, outcome) => {
		await ask();
		provider.answer = down;
		await askAfter(MINUTE_MS);
		provider.answer = () => Response.json(provider.yes(members));
		provider.nowMs += 5 * SECOND_MS;
		const before = { ...accepted, identity: provider.identity };
		let last = await ask();
		expect(last).toEqual(before);
		while (Bun.deepEquals(last, before)) {
			await Bun.sleep(0);
			last = await ask();
		}
		expect(last).toMatchObject(outcome);
		expect(await askAfter(10 * SECOND_MS - 1)).toMatchObject(outcome);
		expect(provider.questions).toHaveLength(3);
	});
});

test("20 concurrent calls with one key share one introspection, and if it fails, later calls introspect the key again", async () => {
	for (const [answer, outcome] of [
		[down, unavailable],
		[() => Response.json(provider.yes()), accepted],
	] as const) {
		provider.answer = answer;
		const before = provider.asked.length;
		const all = await Promise.all(Array.from({ length: 20 }, ask));
		expect(all).toMatchObject(all.map(() => outcome));
		expect(provider.asked).toHaveLength(before + 1);
	}
});

describe("a key", () => {
	test("is introspected again if the clock is set back", async () => {
		await ask();
		provider.answer = () => Response.json({ active: false });
		expect(await askAfter(-1)).toEqual(refused);
		expect(provider.asked).toHaveLength(2);
	});

	test("is not accepted from the cache if the clock is set back during an outage", async () => {
		await ask();
		provider.answer = down;
		expect(await askAfter(-60 * MINUTE_MS)).toEqual(unavailable);
		expect(await askAfter(60 * MINUTE_MS)).toEqual(unavailable);
		expect(introspector.size).toBe(0);
	});

	test("is refused if it expires before the response to its introspection arrives", async () => {
		provider.answer = () => {
			const yes = provider.yes({ exp: provider.nowMs / SECOND_MS + 1 });
			provider.nowMs += SECOND_MS;
			return Response.json(yes);
		};
		expect(await ask()).toEqual(refused);
	});
});

test("at most 50,000 results are cached", async () => {
	// Calls a function instead of a server, because HTTP requests for 50,001 keys would take too long.
	const introspector = provider.offline(() => {});
	for (let at = 0; at < 50_001; at++) await introspect(introspector, `ai_other-key-${at}`);
	expect(introspector.size).toBe(50_000);
});

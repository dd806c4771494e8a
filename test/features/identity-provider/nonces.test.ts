import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import { Nonces } from "../../../src/features/identity-provider/nonces.ts";
import { onPostgres } from "../../support/engine.ts";
import { openTestStore } from "../../support/resort.ts";
import { rowsOf, type TestStore } from "../../support/store.ts";

const START_MS = Date.UTC(2026, 2, 10, 12);
/** How long a nonce is kept after it has expired. */
const GRACE_MS = MINUTE_MS;
/** The maximum number of nonces that one clean-up deletes. */
const MAX_DELETED = 128;

let store: TestStore;
let nonces: Nonces;

beforeEach(() => {
	store = openTestStore();
	nonces = new Nonces();
});
afterEach(() => store.close());

function use(nonce: string, untilMs: number, nowMs: number): Promise<boolean> {
	return store.write(() => nonces.use(store, nonce, untilMs, nowMs));
}

async function useAll(names: readonly string[], untilMs: number, nowMs: number): Promise<void> {
	const used = await Promise.all(names.map((name) => use(name, untilMs, nowMs)));
	expect(used).toEqual(names.map(() => true));
}

/** Returns the nonces in the table, and `""` for the row with the latest expiry time of a deleted nonce. */
async function kept(): Promise<unknown[]> {
	const rows = await rowsOf(store, "SELECT nonce FROM nonces ORDER BY nonce");
	return rows.map(({ nonce }) => nonce);
}

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

test("a nonce is accepted only once before it expires", async () => {
	const untilMs = START_MS + 60_000;
	expect(await use("a", untilMs, START_MS)).toBe(true);
	expect(await use("a", untilMs, START_MS)).toBe(false);
	expect(await use("a", untilMs + 1, untilMs)).toBe(false);
	expect(await use("a", untilMs + 9, untilMs + 1)).toBe(true);
	expect(await use("a", untilMs + 9, untilMs + 1)).toBe(false);
	expect(await use("A", untilMs, START_MS)).toBe(true);
	expect(await use("a ", untilMs, START_MS)).toBe(true);
});

describe("a nonce that has expired", () => {
	test("is deleted by the first clean-up that is more than a minute after its expiry", async () => {
		await use("a", START_MS, START_MS);
		nonces = new Nonces();
		await use("b", START_MS + GRACE_MS + SECOND_MS, START_MS + GRACE_MS);
		expect(await kept()).toEqual(["a", "b"]);
		nonces = new Nonces();
		await use("c", START_MS + GRACE_MS + SECOND_MS, START_MS + GRACE_MS + 1);
		expect(await kept()).toEqual(["", "b", "c"]);
	});

	test.each([
		[MAX_DELETED - 1, 0],
		[MAX_DELETED, 0],
		[MAX_DELETED + 1, 1],
	])("is deleted in a batch of at most 128: of %d such nonces, %d remain", async (count, left) => {
		await useAll(named("old", count), START_MS, START_MS);
		nonces = new Nonces();
		const laterMs = START_MS + GRACE_MS + 1;
		await use("new", laterMs, laterMs);
		expect(await kept()).toHaveLength(left + 2);
	});

	test("is deleted after 64 uses of other nonces", async () => {
		await use("old", START_MS, START_MS);
		const laterMs = START_MS + GRACE_MS + 1;
		await useAll(named("new", 63), laterMs, laterMs);
		expect(await kept()).toContain("old");
		await use("last", laterMs, laterMs);
		expect(await kept()).not.toContain("old");
	});

	test("is still refused if the clock is set back, even after a restart", async () => {
		const untilMs = START_MS + 60_000;
		expect(await use("a", untilMs, START_MS)).toBe(true);
		const aheadMs = START_MS + 3_600_000;
		nonces = new Nonces();
		expect(await use("b", aheadMs + 60_000, aheadMs)).toBe(true);
		expect(await kept()).toEqual(["", "b"]);
		expect(await use("a", untilMs, START_MS)).toBe(false);
		nonces = new Nonces();
		expect(await use("a", untilMs, START_MS)).toBe(false);
		// An unused nonce that expires at the same time as a deleted one is refused too.
		expect(await use("c", untilMs, START_MS)).toBe(false);
		expect(await use("d", untilMs + 1, START_MS)).toBe(true);
	});
});

test("no nonce is accepted twice, even if the clock is set forward and back", async () => {
	const step = fc.record({
		nonce: fc.constantFrom("a", "b", "c", "d", "e"),
		leapMs: fc.integer({ min: -200_000, max: 200_000 }),
		isRestart: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
			await rowsOf(store, "DELETE FROM nonces");
			const used = new Set<string>();
			let nowMs = START_MS;
			for (const { nonce, leapMs, isRestart } of steps) {
				nowMs += leapMs;
				if (isRestart) nonces = new Nonces();
				// The expiry time depends only on the nonce, because a real nonce belongs to one signature.
				const untilMs = START_MS + 1_000 * nonce.charCodeAt(0);
				if (untilMs < nowMs) continue;
				if (!(await use(nonce, untilMs, nowMs))) continue;
				expect(used).not.toContain(nonce);
				used.add(nonce);
			}
		}),
		// Fewer runs on PostgreSQL, where each use is a round trip.
		{ numRuns: onPostgres ? 30 : 300 },
	);
}, 60_000);

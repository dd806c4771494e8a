import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NonceMemory } from "../../../src/access/provider/nonces.ts";
import { SECOND_MS } from "../../../src/lib/clock.ts";

const START_MS = Date.UTC(2026, 2, 10, 12);

describe("the memory of nonces", () => {
	test("lets each be used once until it has expired", () => {
		const nonces = new NonceMemory(10);
		const untilMs = START_MS + 90_000;
		expect(nonces.use("a", untilMs, START_MS)).toBe(true);
		expect(nonces.use("a", untilMs, START_MS)).toBe(false);
		expect(nonces.use("a", untilMs, untilMs)).toBe(false);
		expect(nonces.use("b", untilMs, untilMs)).toBe(true);
		expect(nonces.use("__proto__", untilMs, untilMs)).toBe(true);
		expect(nonces.use("__proto__", untilMs, untilMs)).toBe(false);
	});

	test("admits none beyond its bound, until one has expired", () => {
		const nonces = new NonceMemory(3);
		for (const [at, nonce] of ["a", "b", "c"].entries()) {
			expect(nonces.use(nonce, START_MS + at * SECOND_MS, START_MS)).toBe(true);
		}
		const late = START_MS + 100 * SECOND_MS;
		expect(nonces.use("d", late, START_MS + 999)).toBe(false);
		expect(nonces.size).toBe(3);
		expect(nonces.use("d", late, START_MS + 1_000)).toBe(true);
		expect(nonces.use("e", late, START_MS + 1_000)).toBe(false);
		expect(nonces.use("b", late, START_MS + 1_000)).toBe(false);
		expect(nonces.use("e", late, START_MS + 2_000)).toBe(true);
		expect(nonces.size).toBe(3);
	});

	test("forgets what has expired", () => {
		const nonces = new NonceMemory(100_000);
		let most = 0;
		for (let second = 0; second < 1_000; second++) {
			const nowMs = START_MS + second * SECOND_MS;
			for (let each = 0; each < 10; each++) {
				const isNew = nonces.use(`${second}-${each}`, nowMs + 90_000, nowMs);
				expect(isNew).toBe(true);
			}
			most = Math.max(most, nonces.size);
		}
		expect(most).toBeWithin(900, 931);
	});

	test("admits nothing that it may have forgotten, when the clock is set back", () => {
		const nonces = new NonceMemory(10);
		const untilMs = START_MS + 60_000;
		expect(nonces.use("a", untilMs, START_MS)).toBe(true);
		const aheadMs = START_MS + 3_600_000;
		expect(nonces.use("b", aheadMs + 60_000, aheadMs)).toBe(true);
		expect(nonces.size).toBe(1);
		expect(nonces.use("a", untilMs, START_MS)).toBe(false);
		// Only what expires by then is lost: two minutes later the clock's leap has done no harm.
		const laterMs = START_MS + 120_000;
		expect(nonces.use("c", laterMs + 60_000, laterMs)).toBe(true);
	});

	test("never admits one twice, whatever the clock does", () => {
		const step = fc.record({
			nonce: fc.constantFrom("a", "b", "c", "d", "e"),
			// Of the same signature the end is always the same.
			leapMs: fc.integer({ min: -200_000, max: 200_000 }),
		});
		fc.assert(
			fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
				const nonces = new NonceMemory(3);
				const used = new Set<string>();
				let nowMs = START_MS;
				for (const { nonce, leapMs } of steps) {
					nowMs += leapMs;
					const untilMs = START_MS + 1_000 * nonce.charCodeAt(0);
					if (untilMs < nowMs) continue;
					if (!nonces.use(nonce, untilMs, nowMs)) continue;
					expect(used).not.toContain(nonce);
					used.add(nonce);
					expect(nonces.size).toBeLessThanOrEqual(3);
				}
			}),
			{ numRuns: 1_000 },
		);
	});
});

/** Tests that pages show a stay as ended once it reaches `--max-stay`, even before the clean-up ends it. */
import { beforeEach, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { Visitor } from "./support/visitor.ts";

// Cached pages expire on the hour, so the stays in these tests end at other times.
const resort = useResort({ maxStayMs: 2 * HOUR_MS, nowMs: Date.UTC(2026, 2, 10, 12, 20) });
const first = useGuest(resort, { name: "First" });
beforeEach(() => resort.advance(MINUTE_MS));

const read = (path = "/") => new Visitor(resort).read(path);

/** Returns the number of guests on the home page. Requires that both places show the same number. */
async function countGuests(): Promise<number> {
	const page = await read();
	const [, inWords] = /([\d,]+) guests? (?:is|are) relaxing/.exec(page) ?? [];
	const [, inNumbers] = /here now([\d,]+)agents? today/.exec(page) ?? [];
	expect(inNumbers).toBe(inWords);
	return Number(inWords ?? 0);
}

test("the home page does not count a guest whose stay has reached the maximum length", async () => {
	await resort.guest({ name: "Second" });
	resort.advance(2 * HOUR_MS - MINUTE_MS - 1);
	expect(await countGuests()).toBe(2);
	resort.advance(1);
	expect(await countGuests()).toBe(1);
	expect(await read()).not.toContain("First");
	resort.advance(MINUTE_MS);
	expect(await countGuests()).toBe(0);
	expect(await read()).toContain("Nobody is here at the moment.");
	await resort.sweep();
	expect(await countGuests()).toBe(0);
	expect(await read()).toMatch(/check-outs today2/);
});

test("the home page lists only the newest 50 guests, but counts all until their stays reach the maximum length", async () => {
	for (let count = 0; count < 50; count++) await resort.guest({ name: `Later ${count}` });
	expect(await read()).toContain("these are the newest 50");
	resort.advance(2 * HOUR_MS - MINUTE_MS - 1);
	expect(await countGuests()).toBe(51);
	resort.advance(1);
	expect(await countGuests()).toBe(50);
});

test('the page of an agent shows "Available for work." as soon as the stay reaches the maximum length', async () => {
	const path = `/agents/${first.id}`;
	resort.advance(2 * HOUR_MS - MINUTE_MS - 1);
	expect(await read(path)).toContain("Relaxing");
	resort.advance(1);
	expect(await read(path)).toContain("Available for work.");
});

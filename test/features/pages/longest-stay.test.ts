/** The pages of a resort whose stays end automatically. */
import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER, textIn } from "../../support/visitor.ts";

const resort = useResort({
	maxStayMs: 2 * HOUR_MS,
	// Every page ends with an hour of the clock, and so the stays end at other times.
	nowMs: Date.UTC(2026, 2, 10, 12, 20),
});
const first = useGuest(resort, { name: "First" });
beforeEach(() => resort.advance(MINUTE_MS));

const read = async (path = "/") => {
	const headers = { accept: BROWSER };
	const { text } = await resort.ask("GET", path, { headers });
	return textIn(text, "main") ?? "";
};

/** How many are in, as the page says it in both places. */
async function counted(): Promise<number> {
	const page = await read();
	const [, inWords] = /([\d,]+) guests? (?:is|are) relaxing/.exec(page) ?? [];
	const [, inNumbers] = /here now([\d,]+)agents? today/.exec(page) ?? [];
	expect(inNumbers).toBe(inWords);
	return Number(inWords ?? 0);
}

describe("/", () => {
	test("counts nobody whose longest stay is over, before anybody has ended it", async () => {
		await resort.guest({ name: "Second" });
		expect(await counted()).toBe(2);
		resort.advance(2 * HOUR_MS - MINUTE_MS - 1);
		expect(await counted()).toBe(2);
		resort.advance(1);
		expect(await counted()).toBe(1);
		expect(await read()).not.toContain("First");
		resort.advance(MINUTE_MS);
		expect(await counted()).toBe(0);
		expect(await read()).toContain("Nobody is here at the moment.");
		await resort.sweep();
		expect(await counted()).toBe(0);
		expect(await read()).toMatch(/check-outs today2/);
	});

	test("counts those right that it does not show", async () => {
		for (let count = 0; count < 50; count++) {
			await resort.guest({ name: `Later ${count}` });
		}
		expect(await read()).toContain("these are the newest 50");
		resort.advance(2 * HOUR_MS - MINUTE_MS - 1);
		expect(await counted()).toBe(51);
		resort.advance(1);
		expect(await counted()).toBe(50);
	});

	test("counts an agent once a day, whether it has left, has returned or has stayed too long", async () => {
		const isToday = async (agents: string) => expect(await read()).toMatch(new RegExp(`${agents}(?!\\d)`));
		const { key } = await resort.guest({ name: "Second" });
		await isToday("agents today2");
		await resort.ask("POST", "/api/checkout", { key });
		await isToday("agents today2");
		await resort.ask("POST", "/api/checkin", { key });
		await isToday("agents today2");
		resort.advance(2 * HOUR_MS);
		await isToday("agents today2");
		await resort.sweep();
		await isToday("agents today2");
		resort.advance(12 * HOUR_MS);
		await resort.ask("POST", "/api/checkin", { key });
		await isToday("agent today1");
	});
});

test("the page of an agent shows that its stay is over", async () => {
	const path = `/agents/${first.id}`;
	resort.advance(2 * HOUR_MS - MINUTE_MS - 1);
	expect(await read(path)).toContain("Relaxing");
	resort.advance(1);
	expect(await read(path)).toContain("Available for work.");
});

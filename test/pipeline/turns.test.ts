import { describe, expect, test } from "bun:test";
import { Turns } from "../../src/pipeline/turns.ts";

/** Takes the event loop for so long. */
function work(ms: number): void {
	const endMs = performance.now() + ms;
	while (performance.now() < endMs);
}

describe("turns", () => {
	test("let others have theirs between pieces of work that take long", async () => {
		const turns = new Turns();
		let others = 0;
		let isOver = false;
		const count = () => {
			others++;
			if (!isOver) setImmediate(count);
		};
		setImmediate(count);
		await Promise.all(
			Array.from({ length: 10 }, () => turns.take(() => work(3))),
		);
		isOver = true;
		expect(others).toBeGreaterThanOrEqual(9);
	});

	test("do one piece at a time, in the order in which they were asked for", async () => {
		const turns = new Turns();
		const told: string[] = [];
		const piece = (name: string) =>
			turns.take(async () => {
				told.push(`${name} begins`);
				await Bun.sleep(1);
				told.push(`${name} ends`);
			});
		await Promise.all([piece("a"), piece("b")]);
		expect(told).toEqual(["a begins", "a ends", "b begins", "b ends"]);
	});

	test("go on after a failure, and count what waits", async () => {
		const turns = new Turns();
		const failed = turns.take(() => {
			throw new Error("no");
		});
		const next = turns.take(() => "done");
		expect(turns.waiting).toBe(2);
		await expect(failed).rejects.toThrow("no");
		expect(await next).toBe("done");
		expect(turns.waiting).toBe(0);
	});
});

import { expect, test } from "bun:test";
import { DAY_MS } from "../../../../src/core/lib/clock.ts";
import { useResort } from "../../../support/use-resort.ts";

const midnight = Date.UTC(2026, 2, 11);
const resort = useResort({ nowMs: midnight });

test("totalGuestsToday counts departed guests until midnight UTC, and present guests also after it", async () => {
	const ada = await resort.guest();
	await resort.guest({ name: "Bob" });
	await resort.checkOut(ada);
	const count = async () => (await resort.call("GET", "/api/lobby")).body.totalGuestsToday;
	expect(await count()).toBe(2);
	resort.advance(DAY_MS - 1);
	expect(await count()).toBe(2);
	resort.advance(1);
	expect(await count()).toBe(1);
	resort.advance(DAY_MS);
	expect(await count()).toBe(1);
});

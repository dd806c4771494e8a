import { test, vi } from "vitest";
import { visit } from "./visit.cjs";

test("Vitest with fake timers", async () => {
	vi.useFakeTimers();
	await visit();
});

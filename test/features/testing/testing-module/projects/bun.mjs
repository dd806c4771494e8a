import { jest, test } from "bun:test";
import { visit } from "./visit.cjs";

test("bun test with fake timers and a proxy", async () => {
	jest.useFakeTimers();
	await visit();
});

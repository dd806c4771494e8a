import { mock, test } from "node:test";
import { visit } from "./visit.cjs";

test("node:test with mock timers", async () => {
	mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate", "Date"], now: Date.now() });
	await visit();
});

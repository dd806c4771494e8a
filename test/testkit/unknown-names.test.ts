import { beforeEach, describe, expect, test } from "bun:test";
import { useSharedResort } from "../support/use-resort.ts";

const context = useSharedResort({ testControls: true });
const local = { headers: { host: "localhost" } };
beforeEach(async () => {
	await context.ask("POST", "/test/reset", local);
});

const fault = { operation: "getLobby", status: 503 };

describe("a test control refuses", () => {
	test.each([
		["POST", "/test/faults", { ...fault, time: 3 }, "time", "is times."],
		["POST", "/test/faults", { ...fault, delay: 3 }, "delay", "is delayMs."],
		[
			"POST",
			"/test/faults",
			{ ...fault, wait: 3 },
			"wait",
			"are operation, st",
		],
		["POST", "/test/faults", { ...fault, Times: 3 }, "Times", "is times."],
		["POST", "/test/clock", { frozen: true, to: 1 }, "to", "are advanceSeco"],
		["POST", "/test/clock", { frozzen: true }, "frozzen", "is frozen."],
		["POST", "/test/reset", { now: "x" }, "now", "takes no fields."],
	])("%s %s %j", async (method, path, body, field, hint) => {
		const before = await context.ask("GET", "/test/state", local);
		const answer = await context.ask(method, path, { body, ...local });
		expect(answer.status).toBe(400);
		expect(answer.body).toMatchObject({
			error: `There is no field ${field}`,
			hint: expect.stringContaining(hint),
			field,
		});
		const faults = await context.ask("GET", "/test/faults", local);
		expect(faults.body.faults).toEqual([]);
		const after = await context.ask("GET", "/test/state", local);
		expect(after.body).toEqual(before.body);
	});

	test.each([
		["GET", "/test/calls?operaton=getLobby", "operaton", "is operation."],
		[
			"GET",
			"/test/calls?who=x&operation=getLobby",
			"who",
			"are operation, agentId.",
		],
		["GET", "/test/faults?id=1", "id", "takes no parameters."],
		["DELETE", "/test/faults?id=1", "id", "takes no parameters."],
		["DELETE", "/test/calls?agentId=1", "agentId", "takes no parameters."],
		["POST", "/test/clock?frozen=true", "frozen", "takes no parameters."],
	])("%s %s", async (method, path, field, hint) => {
		await context.ask("POST", "/test/faults", { body: fault, ...local });
		const answer = await context.ask(method, path, local);
		expect(answer.status).toBe(400);
		expect(answer.body).toMatchObject({
			error: `There is no parameter ${field}`,
			hint: expect.stringContaining(hint),
			field,
		});
		const { body } = await context.ask("GET", "/test/faults", local);
		expect(body.faults).toHaveLength(1);
	});

	test("a long name in short", async () => {
		const body = { ...fault, ["x".repeat(5_000)]: 1 };
		const answer = await context.ask("POST", "/test/faults", {
			body,
			...local,
		});
		expect(answer.status).toBe(400);
		expect(answer.body.field).toBe("x".repeat(64));
	});
});

test("null is the same as leaving a field out", async () => {
	const body = { ...fault, times: null, drop: null };
	const answer = await context.ask("POST", "/test/faults", { body, ...local });
	expect(answer.body.fault).toMatchObject({ left: 1, drop: false });
});

import { describe, expect, test } from "bun:test";
import { useControls } from "../support/controls.ts";

const { control } = useControls();

const fault = { operation: "getLobby", status: 503 };

describe("a test control refuses", () => {
	test.each([
		["POST faults", { ...fault, time: 3 }, "field time", "is times."],
		["POST faults", { ...fault, wait: 3 }, "field wait", "names: operation,"],
		["POST clock", { frozen: true, to: 1 }, "field to", "names: advanceSeco"],
		["POST reset", { now: "x" }, "field now", "takes no fields."],
		["GET calls?who=x", null, "parameter who", "names: operation, agentId."],
		["DELETE faults?id=1", null, "parameter id", "takes no parameters."],
	])("%s %j: there is no %s", async (call, body, what, hint) => {
		await control("POST", "faults", fault);
		const before = await control("GET", "state");
		const [method = "", path = ""] = call.split(" ");
		const answer = await control(method, path, body ?? undefined);
		expect(answer.status).toBe(400);
		expect(answer.body).toMatchObject({
			error: `There is no ${what}`,
			hint: expect.stringContaining(hint),
			field: what.replace(/^\w+ /, ""),
		});
		const armed = await control("GET", "faults");
		expect(armed.body.faults).toHaveLength(1);
		const after = await control("GET", "state");
		expect(after.body).toEqual(before.body);
	});

	test("a long name in short", async () => {
		const body = { ...fault, ["x".repeat(5_000)]: 1 };
		const answer = await control("POST", "faults", body);
		expect(answer.status).toBe(400);
		expect(answer.body.field).toBe("x".repeat(64));
	});
});

test("null is the same as leaving a field out", async () => {
	const body = { ...fault, times: null, drop: null };
	const answer = await control("POST", "faults", body);
	expect(answer.body.fault).toMatchObject({ left: 1, drop: false });
});

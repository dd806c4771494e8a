import { describe, expect, test } from "bun:test";
import { useControls } from "./controls.ts";

const { control } = useControls();

const fault = { operation: "getLobby", status: 503 };

describe("a test control refuses with 400", () => {
	test.each([
		["POST faults", { ...fault, time: 3 }],
		["POST faults", { ...fault, wait: 3 }],
		["POST clock", { frozen: true, to: 1 }],
		["POST reset", { now: "x" }],
		["GET calls?who=x", null],
		["DELETE faults?id=1", null],
		["POST faults", JSON.parse('{"operation":"getLobby","status":503,"__proto__":1}')],
	])("an unknown name: %s %j", async (call, body) => {
		await control("POST", "faults", fault);
		const before = await control("GET", "state");
		const [method = "", path = ""] = call.split(" ");
		const answer = await control(method, path, body ?? undefined);
		expect(answer.status).toBe(400);
		// To record it again, add --update-snapshots.
		expect(answer.body).toMatchSnapshot();
		expect((await control("GET", "faults")).body.faults).toHaveLength(1);
		expect((await control("GET", "state")).body).toEqual(before.body);
	});

	test("a long unknown name, which the error truncates", async () => {
		const { status, body } = await control("POST", "faults", { ...fault, ["x".repeat(5_000)]: 1 });
		expect([status, body.field]).toEqual([400, "x".repeat(64)]);
	});
});

test("null for a field, or an empty string for an id or a time, means the same as omitting it", async () => {
	const armed = await control("POST", "faults", { ...fault, times: null, drop: null, ids: "" });
	expect(armed.body.fault).toMatchObject({ left: 1, drop: false, ids: null });
	expect((await control("POST", "clock", { now: "", frozen: true })).status).toBe(200);
	expect((await control("GET", "calls?agentId=")).status).toBe(200);
});

import { describe, expect, test } from "bun:test";
import { useControls } from "./controls.ts";

const { control } = useControls();

const fault = { operation: "getLobby", status: 503 };

describe("a test control refuses with 400", () => {
	test.each([
		["POST /test/faults", { ...fault, time: 3 }],
		["POST /test/faults", { ...fault, wait: 3 }],
		["POST /test/clock", { frozen: true, to: 1 }],
		["POST /test/reset", { now: "x" }],
		["POST /test/faults", JSON.parse('{"operation":"getLobby","status":503,"__proto__":1}')],
	])("an unknown field (%s with the body %j)", expectRefused);

	test.each(["GET /test/calls?who=x", "DELETE /test/faults?id=1"])("an unknown parameter (%s)", (call) =>
		expectRefused(call),
	);

	async function expectRefused(call: string, sent?: object): Promise<void> {
		await control("POST", "faults", fault);
		const before = await control("GET", "state");
		const [method = "", path = ""] = call.split(" /test/");
		const answer = await control(method, path, sent);
		expect(answer.status).toBe(400);
		// To record it again, add --update-snapshots.
		expect(answer.body).toMatchSnapshot();
		expect((await control("GET", "faults")).body.faults).toHaveLength(1);
		expect((await control("GET", "state")).body).toEqual(before.body);
	}

	test("a long unknown field, whose name the error truncates", async () => {
		const { status, body } = await control("POST", "faults", { ...fault, ["x".repeat(5_000)]: 1 });
		expect([status, body.field]).toEqual([400, "x".repeat(64)]);
	});
});

test("a field with the value null, or an id or a time that is an empty string, is treated as omitted", async () => {
	const armed = await control("POST", "faults", { ...fault, times: null, drop: null, ids: "" });
	expect(armed.body.fault).toMatchObject({ left: 1, drop: false, ids: null });
	expect((await control("POST", "clock", { now: "", frozen: true })).status).toBe(200);
	expect((await control("GET", "calls?agentId=")).status).toBe(200);
});

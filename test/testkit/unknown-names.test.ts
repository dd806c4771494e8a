import { beforeEach, describe, expect, test } from "bun:test";
import { useSharedResort } from "../support/use-resort.ts";

const context = useSharedResort({ testControls: true });
const local = { headers: { host: "localhost" } };
beforeEach(async () => {
	await context.ask("POST", "/test/reset", local);
});

const fault = { operation: "getLobby", status: 503 };

describe("a test control refuses", () => {
	const field = (name: string) => [`There is no field ${name}`, name] as const;
	const parameter = (name: string) =>
		[`There is no parameter ${name}`, name] as const;
	const faults = "POST /test/faults";
	const clock = "POST /test/clock";
	test.each([
		[faults, { ...fault, time: 3 }, field("time"), "is times."],
		[faults, { ...fault, delay: 3 }, field("delay"), "is delayMs."],
		[faults, { ...fault, wait: 3 }, field("wait"), "names: operation, st"],
		[faults, { ...fault, Times: 3 }, field("Times"), "is times."],
		[clock, { frozen: true, to: 1 }, field("to"), "names: advanceSeco"],
		[clock, { frozzen: true }, field("frozzen"), "is frozen."],
		["POST /test/reset", { now: "x" }, field("now"), "takes no fields."],
		[
			"GET /test/calls?operaton=getLobby",
			null,
			parameter("operaton"),
			"is operation.",
		],
		[
			"GET /test/calls?who=x&operation=getLobby",
			null,
			parameter("who"),
			"names: operation, agentId.",
		],
		["GET /test/faults?id=1", null, parameter("id"), "takes no parameters."],
		["DELETE /test/faults?id=1", null, parameter("id"), "takes no parameters."],
		[
			"DELETE /test/calls?agentId=1",
			null,
			parameter("agentId"),
			"takes no parameters.",
		],
		[
			"POST /test/clock?frozen=true",
			null,
			parameter("frozen"),
			"takes no parameters.",
		],
	] as const)("%s %j", async (operation, body, [error, name], hint) => {
		await context.ask("POST", "/test/faults", { body: fault, ...local });
		const before = await context.ask("GET", "/test/state", local);
		const [method = "", path = ""] = operation.split(" ");
		const answer = await context.ask(method, path, {
			...(body !== null && { body }),
			...local,
		});
		expect(answer.status).toBe(400);
		expect(answer.body).toMatchObject({
			error,
			hint: expect.stringContaining(hint),
			field: name,
		});
		const armed = await context.ask("GET", "/test/faults", local);
		expect(armed.body.faults).toHaveLength(1);
		const after = await context.ask("GET", "/test/state", local);
		expect(after.body).toEqual(before.body);
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

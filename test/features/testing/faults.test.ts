import { describe, expect, test } from "bun:test";
import { toAnswered, toRequest } from "../../support/calls.ts";
import { NOBODY } from "../../support/values.ts";
import { toolsOf } from "../mcp/support/tools.ts";
import { useControls } from "./controls.ts";

const { resort: context, control } = useControls();

const arm = (body: object) => control("POST", "faults", body);
const armed = async () => (await control("GET", "faults")).body.faults;

/** Makes a call whose answer is not validated against the OpenAPI document. */
const answer = async (method: string, path: string, accept = "*/*") =>
	toAnswered(await context.fetch(toRequest("http://resort.test", method, path, { headers: { accept } })));

const statusOf = async (...call: Parameters<typeof answer>) => (await answer(...call)).status;

describe("POST /test/faults", () => {
	test("makes only the next call fail, and the failed call changes nothing", async () => {
		const { key, id } = await context.guest();
		const { status, body } = await arm({ operation: "checkOut", status: 500 });
		expect(status).toBe(200);
		// To record the snapshot again, add --update-snapshots.
		expect(body.fault).toMatchSnapshot();
		const failed = await context.call("POST", "/api/checkout", { key });
		expect([failed.status, failed.text]).toEqual([500, JSON.stringify({ error: "Internal error" })]);
		expect((await context.send("GET", `/api/agents/${id}/status`)).status).toBe("relaxing");
		await context.checkOut({ id, key });
	});

	test("makes even a call without a credential fail with the given error and Retry-After", async () => {
		await arm({ operation: "checkOut", status: 429, error: "Slow down", retryAfterSeconds: 7 });
		const { status, text, headers } = await context.call("POST", "/api/checkout");
		expect([status, text]).toEqual([429, JSON.stringify({ error: "Slow down" })]);
		expect(headers.get("retry-after")).toBe("7");
		expect((await context.call("POST", "/api/checkout")).status).toBe(401);
	});

	test("affects calls that would get a cached response, and HEAD requests", async () => {
		const { id } = await context.guest();
		for (const [operation, path] of [
			["getAgentStatus", `/api/agents/${id}/status?expect=relaxing`],
			["getHealth", "/api/health"],
			["listPostcards", "/api/postcards"],
			["getSkill", "/api/skill"],
		] as const) {
			for (const method of ["GET", "HEAD"]) {
				expect(await statusOf(method, path)).toBe(200);
				await arm({ operation, status: 599 });
				expect(await statusOf(method, path)).toBe(599);
				expect(await statusOf(method, path)).toBe(200);
			}
		}
	});

	test("affects waiting calls and streams immediately", async () => {
		await arm({ operation: "listEvents", status: 503, times: 2 });
		expect(await statusOf("GET", "/api/events?wait=60")).toBe(503);
		expect(await statusOf("GET", "/api/events", "text/event-stream")).toBe(503);
	});

	test.each([
		[1, "only the next call", [500, 404, 404]],
		[2, "only the next two calls", [500, 500, 404]],
		[0, "all further calls", [500, 500, 500]],
	])("with `times` %d makes %s fail", async (times, _, statuses) => {
		await arm({ operation: "getAgentStatus", status: 500, times });
		for (const status of statuses) {
			expect(await statusOf("GET", `/api/agents/${NOBODY}/status`)).toBe(status);
		}
	});

	test("with `ids` affects only calls that have one of these ids in the path or in the parameter `ids`", async () => {
		const ada = await context.guest();
		const bob = await context.guest();
		const body = { status: 500, times: 0, ids: [ada.id.toUpperCase()] };
		await arm({ operation: "getAgentStatus", ...body });
		await arm({ operation: "listAgentStatuses", ...body });
		const single = (id: string) => statusOf("GET", `/api/agents/${id}/status`);
		expect(await single(bob.id)).toBe(200);
		expect(await single(ada.id)).toBe(500);
		expect(await single(ada.id.toUpperCase())).toBe(500);
		const batch = (ids: string) => statusOf("GET", `/api/agents/status?ids=${ids}`);
		expect(await batch(bob.id)).toBe(200);
		expect(await batch(`${bob.id},${ada.id}`)).toBe(500);
		expect(await batch(`${bob.id}&ids=${ada.id}`)).toBe(500);
	});

	test.each([
		["`delayMs` alone", {}],
		["`delayMs` and `status`", { status: 503 }],
	])("with %s delays the response", async (_, fault: { status?: number }) => {
		await arm({ operation: "getHealth", delayMs: 60, ...fault });
		const startedAt = performance.now();
		expect(await statusOf("GET", "/api/health")).toBe(fault.status ?? 200);
		expect(performance.now() - startedAt).toBeGreaterThan(55);
	});

	test("with `delayMs` 0 changes no response, but counts the affected calls", async () => {
		const { body } = await arm({ operation: "getHealth", delayMs: 0, times: 2 });
		expect(await statusOf("GET", "/api/health")).toBe(200);
		expect(await armed()).toMatchObject([{ id: body.fault.id, left: 1 }]);
	});

	test.each([
		["400 to 599", "status", [399, 600], [400, 599]],
		["0 to 60,000", "delayMs", [-1, 60_001], [0, 60_000]],
		["0 to 1,000,000", "times", [-1, 1_000_001], [0, 1_000_000]],
		["0 to 86,400", "retryAfterSeconds", [-1, 86_401], [0, 86_400]],
		["1 to 500 characters", "error", ["", "x".repeat(501)], ["x", "x".repeat(500)]],
		["1 to 100 ids", "ids", [[], Array(101).fill(NOBODY)], [[NOBODY], Array(100).fill(NOBODY)]],
	])("accepts only %s as `%s`", async (_, field, outside, inside) => {
		const base = { operation: "getHealth", status: 500 };
		for (const value of outside) {
			const { status, body } = await arm({ ...base, [field]: value });
			expect([status, body.field]).toEqual([400, field]);
		}
		for (const value of inside) {
			expect((await arm({ ...base, [field]: value })).status).toBe(200);
		}
	});

	const health = { operation: "getHealth" };
	const failing = { ...health, status: 502 };
	test.each<[what: string, body: object, field: string | undefined]>([
		["a fault without `operation`", { status: 500 }, "operation"],
		["an invalid id in `ids`", { ...failing, ids: ["x"] }, "ids"],
		["a text as `drop`", { ...health, drop: "yes" }, "drop"],
		["`drop` together with `status`", { ...failing, drop: true }, "drop"],
		[
			"`retryAfterSeconds` without `status`",
			{ ...health, delayMs: 1, retryAfterSeconds: 1 },
			"retryAfterSeconds",
		],
		["`body` together with `error`", { ...failing, body: "x", error: "x" }, "body"],
		["`body` without `status`", { ...health, delayMs: 1, body: "x" }, "body"],
		["`body` together with `drop`", { ...health, drop: true, body: "" }, "body"],
		["a `body` of more than 16,384 characters", { ...failing, body: "x".repeat(16_385) }, "body"],
		["`contentType` without `body`", { ...failing, contentType: "text/html" }, "contentType"],
		["a `contentType` with a line break", { ...failing, body: "", contentType: "a/b\r\nc" }, "contentType"],
		["a fault without any effect", { ...health, drop: false }, undefined],
	])("refuses %s", async (_, body, field) => {
		const refused = await arm(body);
		expect([refused.status, refused.body.field]).toEqual([400, field as string]);
		expect(await armed()).toEqual([]);
	});

	test.each(["getAgentState", "checkin", "GET /api/agent/status", "POST /test/reset"])(
		"refuses the operation %j, and suggests the three most similar operations",
		async (operation) => {
			const { status, body } = await arm({ operation, status: 500 });
			expect(status).toBe(400);
			// To record the snapshot again, add --update-snapshots.
			expect(body).toMatchSnapshot();
		},
	);

	test.each(["GET /api/agents/{id}/status", "GET /api/agents/:id/status"])(
		"accepts the operation %j, and affects only this operation",
		async (operation) => {
			const { body } = await arm({ operation, status: 500, times: 2 });
			expect(body.fault.operation).toBe(operation);
			const path = `/api/agents/${NOBODY}/status`;
			expect(await statusOf("GET", `/api/agents/status?ids=${NOBODY}`)).toBe(200);
			expect(await statusOf("GET", path)).toBe(500);
			expect(await statusOf("HEAD", path)).toBe(500);
			expect(await statusOf("GET", path)).toBe(404);
		},
	);

	test('with the operation "*" affects every operation and page, but neither test controls nor unknown paths', async () => {
		await arm({ operation: "*", status: 500, times: 0 });
		expect(await statusOf("GET", "/", "text/html")).toBe(500);
		for (const path of ["/", "/api/me", "/api/health", "/feed.json"]) {
			expect([path, await statusOf("GET", path)]).toEqual([path, 500]);
		}
		expect(await statusOf("GET", "/api/nowhere")).toBe(404);
		expect(await armed()).toHaveLength(1);
	});

	test.each([
		["the given body (as HTML by default)", { body: "<h1>Bad gateway</h1>" }, "text/html; charset=utf-8"],
		["an empty body with the given `contentType`", { body: "", contentType: "text/plain" }, "text/plain"],
		[
			"a body of 16,384 characters (the maximum)",
			{ body: "x".repeat(16_384), contentType: "a/b;c=d" },
			"a/b;c=d",
		],
	])("replaces the response to any call, even of a browser, by %s", async (_, fault, type) => {
		for (const accept of ["*/*", "text/html"]) {
			await arm({ operation: "*", status: 502, ...fault });
			const { status, headers, text } = await answer("GET", "/", accept);
			expect([status, headers.get("content-type"), text]).toEqual([502, type, fault.body]);
		}
	});

	test("without `error` uses the API's usual error for each status that the API itself returns", async () => {
		const own: number[] = [];
		for (let status = 400; status < 510; status++) {
			await arm({ operation: "getLobby", status });
			const { text } = await answer("GET", "/api/lobby");
			if (!text.includes("Injected fault")) own.push(status);
		}
		expect(own).toEqual([400, 401, 403, 404, 413, 415, 422, 429, 500, 503]);
	});

	test("with a body that is not JSON makes the call of an MCP tool fail", async () => {
		await arm({ operation: "getLobby", status: 502, body: "<p>" });
		const { isError, body } = await toolsOf(context)("lobby");
		expect([isError, body.error]).toEqual([true, "Injected fault"]);
	});

	test("refuses a fault if 1,000 faults are armed", async () => {
		for (let at = 0; at < 1_000; at++) {
			context.faults.arm({ operation: "getLobby", status: 500, times: 0 });
		}
		const { status, body } = await arm({ operation: "getLobby", status: 500 });
		expect(status).toBe(400);
		expect(body.hint).toContain("DELETE /test/faults");
	});

	test("accepts the id of every operation except test controls", async () => {
		for (const { id, isLocal } of context.operations) {
			const { status } = await arm({ operation: id, status: 418 });
			expect([id, status]).toEqual([id, isLocal ? 400 : 200]);
		}
	});
});

const fault = { operation: "getLobby", status: 503 };

describe("a test control returns 400 for", () => {
	test.each([
		["time", "POST /test/faults", { ...fault, time: 3 }],
		["wait", "POST /test/faults", { ...fault, wait: 3 }],
		["to", "POST /test/clock", { frozen: true, to: 1 }],
		["now", "POST /test/reset", { now: "x" }],
		["__proto__", "POST /test/faults", JSON.parse('{"operation":"getLobby","status":503,"__proto__":1}')],
	])("the unknown field `%s` in the body of %s", (_, call, body) => expectRefused(call, body));

	test.each(["GET /test/calls?who=x", "DELETE /test/faults?id=1"])("the unknown parameter in %s", (call) =>
		expectRefused(call),
	);

	async function expectRefused(call: string, sent?: object): Promise<void> {
		await control("POST", "faults", fault);
		const before = await control("GET", "state");
		const [method = "", path = ""] = call.split(" /test/");
		const answer = await control(method, path, sent);
		expect(answer.status).toBe(400);
		// To record the snapshot again, add --update-snapshots.
		expect(answer.body).toMatchSnapshot();
		expect((await control("GET", "faults")).body.faults).toHaveLength(1);
		expect((await control("GET", "state")).body).toEqual(before.body);
	}

	test("an unknown field with a long name, which the response truncates", async () => {
		const { status, body } = await control("POST", "faults", { ...fault, ["x".repeat(5_000)]: 1 });
		expect([status, body.field]).toEqual([400, "x".repeat(64)]);
	});
});

test("a resort with test controls closes each connection after one response", async () => {
	// So a fault with `drop` cannot affect a second call of the same connection.
	for (const path of ["/api/health", "/api/lobby", "/api/nowhere"]) {
		const { headers } = await answer("GET", path);
		expect([path, headers.get("connection")]).toEqual([path, "close"]);
	}
});

test("test controls treat a field that is null, and an empty id or time, as omitted", async () => {
	const armed = await control("POST", "faults", { ...fault, times: null, drop: null, ids: "" });
	expect(armed.body.fault).toMatchObject({ left: 1, drop: false, ids: null });
	expect((await control("POST", "clock", { now: "", frozen: true })).status).toBe(200);
	expect((await control("GET", "calls?agentId=")).status).toBe(200);
});

import { describe, expect, test } from "bun:test";
import { operationAt } from "../../src/client/catalogue.ts";
import { Failure } from "../../src/client/client-failure.ts";
import { messageFor } from "../../src/client/operation-call.ts";

const nothing = { stored: null, isStoredKey: false, agentId: null, key: null, warnings: [] };
const configuration = { ...nothing, path: "/x", url: "https://resort.example" };

describe("messageFor", () => {
	const status = "GET /api/agents/:id/status";

	test.each([
		[status, { id: "a" }, "GET /api/agents/a/status", undefined],
		[status, { id: "a", wait: 61 }, "?wait=61", undefined],
		["GET /api/lobby", { more: 1 }, "GET /api/lobby?more=1", undefined],
		["POST /api/agents", { more: 1 }, "POST /api/agents", { more: 1 }],
	])("%s with %j is a request to %s", (route, values, target, body) => {
		const message = messageFor(configuration, operationAt(route), values);
		const { method, url } = message;
		expect(`${method} ${url.pathname}${url.search}`).toEndWith(target);
		expect(message.body).toEqual(body);
	});
});

test.each([
	[1, 400, false],
	[6, 428, false],
	[6, 429, true],
	[1, 430, false],
	[1, 499, false],
	[1, 500, true],
	[1, 503, true],
	[7, null, true],
	[1, null, false],
] as const)("a failure with exit code %i and status %p has isTemporary %p", (exitCode, status, expected) => {
	const refusal = status && { status, retryAfterSeconds: 0, field: "" };
	const failure = new Failure("", exitCode, "", refusal);
	expect(failure.isTemporary).toBe(expected);
});

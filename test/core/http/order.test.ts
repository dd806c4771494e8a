import { beforeEach, describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { asJson, largeBody } from "../../support/bodies.ts";
import { Caller, limited, operations, pathOf, routes, rows } from "../../support/operations.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort({ shared: true, rateLimits: true });

let caller: Caller;
beforeEach(async () => {
	caller = await Caller.create(resort);
});

const guarded = limited.filter(({ credential }) => credential !== "none");

test.each(rows(guarded))("%s checks the credential before the body", async (_, operation) => {
	const { method, body } = operation;
	for (const ask of [{ body: body?.bad }, asJson("{"), largeBody]) {
		expectFailure(await resort.call(method, pathOf(operation), ask), 401);
	}
});

/** An operation with a rate limit per address, and one with a rate limit per agent. */
const examples = limited.filter(({ path }) => ["/api/session", "/api/experiences"].includes(path));

describe.each(rows(examples))("%s", (_, operation) => {
	test.each([
		{ name: "a field out of bounds", ask: { body: operation.body?.bad }, status: 400 },
		{ name: "incomplete JSON", ask: asJson("{"), status: 400 },
		{ name: "a body that is too large", ask: largeBody, status: 413 },
	])("refuses $name before it checks the rate limit", async ({ ask, status }) => {
		for (let call = 0; call <= operation.limit.count; call++) {
			const answered = await caller.call(operation, ask);
			expectFailure(answered, status);
			expect(answered.headers.has("ratelimit")).toBe(false);
		}
		await caller.exhaust(operation);
		expectFailure(await caller.call(operation, ask), status);
		expectFailure(await caller.call(operation), 429);
	});
});

describe("a request without a valid key", () => {
	const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
	const patterns = routes.map((route) => new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`));

	async function expectUnknown(method: string, path: string): Promise<void> {
		for (const key of [undefined, "wrong"]) {
			expectFailure(await resort.call(method, path, { key }), 404, method);
		}
	}

	test.each(rows(operations))("gets 404 for a wrong method at the path of %s", async (_, operation) => {
		const path = pathOf(operation);
		const others = methods.filter((method) => !patterns.some((one) => one.test(`${method} ${path}`)));
		expect(others).toContain("PUT");
		for (const method of others) await expectUnknown(method, path);
	});

	const paths = `/nowhere /api /api/ /api/nowhere /api/health/ //api/health /api//health /API/health
		/api/agents/1/2/3 /api/activities//do /api/%6De%2f /%00 /%ff`;

	test.each(paths.split(/\s+/))("gets 404 at the unknown path %s", async (path) => {
		for (const method of methods) await expectUnknown(method, path);
	});
});

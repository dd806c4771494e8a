import { expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { expectFailure, LEAK } from "../../support/answers.ts";
import { asJson, largeBody } from "../../support/bodies.ts";
import type { Answered, CallOptions } from "../../support/calls.ts";
import { Caller, type Operation, operations, rows } from "../../support/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";
import { UUID_V7 } from "../../support/values.ts";

const resort = useResort({ shared: true });

/** Returns the responses of an operation to a valid call and to calls with each kind of mistake. */
async function everyAnswer(operation: Operation): Promise<Answered[]> {
	const caller = await Caller.create(resort);
	const { parameters = {}, path, body } = operation;
	const asks: CallOptions[] = [
		{},
		{ key: "wrong" },
		{ headers: { origin: "https://elsewhere.test" } },
		...(body ? [{ body: body.bad }, asJson("{"), largeBody] : []),
	];
	const answered: Answered[] = [];
	for (const ask of asks) answered.push(await caller.call(operation, ask));
	for (const [name, bad] of Object.entries(parameters)) {
		answered.push(await caller.call({ ...operation, path: `${path}?${name}=${bad}` }));
	}
	return answered;
}

function expectSafe({ headers }: Answered): void {
	expect(headers.get("content-type")).toBe("application/json");
	expect(headers.get("x-content-type-options")).toBe("nosniff");
	expect(headers.get("referrer-policy")).toBe("no-referrer");
}

test.each(rows(operations.filter(({ document }) => !document)))(
	"%s answers valid and invalid calls with JSON, security header fields and no internal details",
	async (_, operation) => {
		const isPublic = operation.method === "GET" && operation.credential === "none";
		for (const answered of await everyAnswer(operation)) {
			expectSafe(answered);
			const { headers, text } = answered;
			expect(headers.get("x-request-id")).toMatch(UUID_V7);
			for (const name of ["server", "x-powered-by", "ratelimit", "access-control-allow-credentials"]) {
				expect(headers.has(name)).toBe(false);
			}
			expect(text).not.toMatch(LEAK);
			expect(() => JSON.parse(text)).not.toThrow();
			if (!isPublic) expect(headers.get("cache-control")).toBe("no-store");
			for (const name of ["access-control-allow-origin", "access-control-expose-headers"]) {
				expect(headers.get(name), text).toBe(isPublic ? "*" : null);
			}
		}
	},
);

test("the 404 for an unknown path is JSON that other origins may not read", async () => {
	const answered = await resort.call("GET", "/api/nowhere");
	expectFailure(answered, 404);
	expectSafe(answered);
	expect(answered.headers.has("access-control-allow-origin")).toBe(false);
});

test("a call that causes an internal error gets a 500 without details", async () => {
	await using broken = new TestResort();
	const { key } = await Caller.create(broken);
	await broken.rows("ALTER TABLE stays RENAME TO gone");
	for (const [path, ask] of [["/api/stays", { key }] as const, ["/api/lobby", {}] as const]) {
		const answered = await broken.call("GET", path, ask);
		expect(answered.status).toBe(500);
		expect(answered.text).toBe('{"error":"Internal error"}');
		expectSafe(answered);
	}
	expect(broken.log.map(({ level }) => level)).toEqual(["error", "error"]);
	await broken.rows("ALTER TABLE gone RENAME TO stays");
});

test("a response that does not match its schema is replaced by a 500; the log names the wrong field, not its value", async () => {
	await using broken = new TestResort({ random: { ...systemRandom, uuid: () => "no-uuid" } });
	const body = { name: "Ada", bio: "Not for the log." };
	const { status, text, headers } = await broken.call("POST", "/api/agents", { body });
	expect({ status, text }).toEqual({ status: 500, text: '{"error":"Internal error"}' });
	const [line] = broken.log;
	const requestId = headers.get("x-request-id");
	expect(line?.properties).toMatchObject({ method: "POST", route: "/api/agents", requestId });
	expect(JSON.stringify(line?.properties)).toContain("/agent/id");
	expect(JSON.stringify(broken.log)).not.toMatch(/ar_[0-9A-Za-z]|Not for the log/);
});

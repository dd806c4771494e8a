/**
 * Sends malformed messages to the MCP server. To send more of them:
 * `MCP_MESSAGES=200000 npx bun test test/features/mcp/fuzz.test.ts --timeout 3600000`
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { inputSchemaOf } from "../../../src/features/mcp/tool.ts";
import { toolsOf } from "../../../src/features/mcp/tools.ts";
import { LEAK } from "../../support/answers.ts";
import { Caller } from "../../support/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { AGENT, doubtful, KEY, mixed } from "../../whole/fuzz-values.ts";
import { modernMessage } from "./support/tools.ts";

const MESSAGES = Number(process.env.MCP_MESSAGES ?? 800);
const TIMEOUT_MS = 60_000 + MESSAGES * 20;

const methods = (
	"tools/call tools/list resources/list resources/read resources/templates/list prompts/list " +
	"prompts/get initialize ping server/discover notifications/initialized " +
	"notifications/cancelled completion/complete logging/setLevel subscriptions/listen " +
	"resources/subscribe tasks/get"
).split(" ");

const value = doubtful({});

/** Draws the usual value `weight` times as often as the other one. */
const usually = <T>(weight: number, usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
	fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });

const call = fc
	.constantFrom(...toolsOf([]))
	.chain((tool) =>
		fc.record({
			name: usually(12, fc.constant<unknown>(tool.name), value),
			arguments: usually(12, mixed(inputSchemaOf(tool, "open")), value),
		}),
	);

const params = fc.oneof(
	call,
	fc.dictionary(fc.constantFrom("uri", "name", "requestId", "_meta", "cursor", "__proto__"), value),
);

const legacy = fc
	.record(
		{
			jsonrpc: usually<unknown>(30, fc.constant("2.0"), value),
			id: usually<unknown>(10, fc.nat(), value),
			method: usually<unknown>(10, fc.constantFrom(...methods), value),
			params: usually<unknown>(8, params, value),
		},
		{ requiredKeys: ["jsonrpc", "method"] },
	)
	.map((message) => ({ body: JSON.stringify(message), headers: {} }));

/** A message of revision 2026-07-28 with matching header fields, which contain only printable ASCII. */
const modern = fc
	.oneof(fc.tuple(fc.constant("tools/call"), call), fc.tuple(fc.constantFrom(...methods), params))
	.map(([method, drawn]) => {
		const { body, headers } = modernMessage(method, drawn);
		const texts = Object.entries(headers).map(([name, text]) => [name, text.replace(/[^ -~]/g, "?").trim()]);
		return { body: JSON.stringify(body), headers: Object.fromEntries(texts) };
	});

const nested = (open: string, close: string) => open.repeat(6_000) + close.repeat(6_000);

const noMessage = fc
	.oneof(
		fc.json({ maxDepth: 8 }),
		fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
		fc.constantFrom(
			"",
			nested("[", "]"),
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${nested('{"a":', "}").replace('{"a":}', "{}")}}`,
			`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`,
			`{"pad":"${"p".repeat(65_536)}"}`,
			`[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(200)}{}]`,
		),
	)
	.map((body) => ({ body, headers: {} }));

/** Values of header fields. The first value of each field is the usual one. */
const fields = {
	"content-type": ["application/json", "text/plain", ";", "*/*"],
	accept: ["application/json", "text/event-stream", "text/html", "*/*"],
	authorization: [`Bearer ${KEY}`, "Bearer", "Basic YQ==", "Bearer ai_1"],
	origin: ["http://resort.test", "null", "https://e.test"],
	"mcp-protocol-version": ["2026-07-28", "2025-11-25", "9999-99-99"],
	"mcp-method": ["tools/call", "ping", "x"],
	"mcp-name": ["lobby", "=?base64?/w==?=", "=?base64?"],
	"mcp-session-id": ["x"],
};

/** Header fields, at most one of which has an unusual value. */
const headers = fc
	.constantFrom(...Object.entries(fields))
	.chain(([name, values]) => fc.constantFrom(...values).map((text) => ({ [name]: text })))
	.map((odd) => ({ "content-type": "application/json", authorization: `Bearer ${KEY}`, ...odd }));

/** Requests to `/mcp`, most of which are invalid in one or several ways. */
const malformed = fc.record({
	method: usually(20, fc.constant("POST"), fc.constantFrom("GET", "DELETE", "PUT")),
	drawn: fc.oneof({ weight: 2, arbitrary: legacy }, { weight: 2, arbitrary: modern }, noMessage),
	headers,
});

test(
	`${MESSAGES} malformed MCP messages cause no internal error, and reveal no internal details`,
	async () => {
		await using resort = new TestResort();
		const statuses = new Set<number>();
		const outcomes = new Set<string>();
		const caller = await Caller.create(resort);
		const fill = (text: string) => text.replaceAll(KEY, caller.key).replaceAll(AGENT, caller.id);

		const isHandled = fc.asyncProperty(malformed, async ({ method, drawn, headers }) => {
			const { body } = drawn;
			const response = await resort.fetch(
				new Request("http://resort.test/mcp", {
					method,
					headers: { ...headers, ...drawn.headers, authorization: fill(headers.authorization) },
					body: method === "GET" ? null : typeof body === "string" ? fill(body) : body,
				}),
			);
			const text = await response.text();
			statuses.add(response.status);
			expect(response.status).toBeLessThan(500);
			expect(text).not.toMatch(LEAK);
			if (text === "") return;
			const type = response.headers.get("content-type");
			const json = type === "text/event-stream" ? text.split("data: ")[1] : text;
			const { error, result } = JSON.parse(json ?? "");
			expect((error === undefined) !== (result === undefined)).toBe(true);
			outcomes.add(error?.code ?? (result.isError ? "refused" : "done"));
			if (!result?.isError) return;
			const refusal = JSON.parse(result.content.at(-1).text);
			expect(refusal.error).not.toBe("Internal error");
			expect(refusal.tool).toMatch(/^[a-z_]+$/);
		});
		await fc.assert(isHandled, { numRuns: MESSAGES });
		expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 202, 400, 403, 404, 405, 413, 415]));
		expect([...outcomes]).toEqual(expect.arrayContaining(["done", "refused", -32_601, -32_602, -32_700]));
		expect(resort.log.filter(({ level }) => level === "error")).toEqual([]);
	},
	TIMEOUT_MS,
);

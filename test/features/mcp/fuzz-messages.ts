import fc from "fast-check";
import { tools } from "../../../src/features/mcp/tools.ts";
import { modernMessage } from "../../support/mcp.ts";

/** Stand for the key and the id of a real agent. */
export const KEY = "KEY";
export const ID = "ID";

const methods = (
	"tools/call tools/list resources/list resources/read resources/templates/list prompts/list " +
	"prompts/get initialize ping server/discover notifications/initialized " +
	"notifications/cancelled completion/complete logging/setLevel subscriptions/listen " +
	"resources/subscribe tasks/get"
).split(" ");

const unicode = fc.string({ unit: "binary", maxLength: 60 });
const latin1 = fc.string({ unit: "grapheme-ascii", maxLength: 40 }).map((text) => text.trim());

const value = fc.oneof(
	unicode,
	fc.constantFrom("", "\0", "\ud800", ID, "exp-ID", "me", "1"),
	fc.constantFrom<unknown>(0, -0, 1e308, -1, 0.5, 2 ** 53, null, true, [], {}),
	fc.constantFrom("tidepool-float", "inbox", "discover", "available"),
	fc.integer({ min: 1, max: 2_000 }).map((length) => "v".repeat(length)),
	fc.jsonValue({ maxDepth: 5 }),
);

const fields = fc.dictionary(
	fc.constantFrom(
		..."id ids name message rating notes box limit offset sort since until category".split(" "),
		..."description location durationMinutes moodOnArrival recipientId".split(" "),
		..."apiKey phase view creatorId __proto__ constructor toString x".split(" "),
	),
	value,
	{ maxKeys: 6 },
);

const args = fc.tuple(fields, fc.boolean()).map(([all, hasKey]) => (hasKey ? { ...all, apiKey: KEY } : all));

const call = fc.record({
	name: fc.oneof(
		{
			weight: 12,
			arbitrary: fc.constantFrom(...tools.map(({ name }) => name)),
		},
		{ weight: 1, arbitrary: latin1 },
	),
	arguments: fc.oneof({ weight: 12, arbitrary: args }, { weight: 1, arbitrary: value }),
});

const params = fc.oneof(
	fields,
	fc.record({ uri: value }),
	fc.record({ name: value }),
	fc.record({ requestId: value }),
	fc.record({ _meta: fc.oneof(fields, value) }),
	value,
);

interface Drawn {
	readonly body: string | Uint8Array<ArrayBuffer>;
	readonly headers: Record<string, string>;
}

const legacy = fc
	.record(
		{
			jsonrpc: fc.oneof(
				{ weight: 30, arbitrary: fc.constant<unknown>("2.0") },
				{ weight: 1, arbitrary: value },
			),
			id: fc.oneof(
				{ weight: 10, arbitrary: fc.nat() as fc.Arbitrary<unknown> },
				{ weight: 1, arbitrary: value },
			),
			method: fc.oneof(
				{ weight: 10, arbitrary: fc.constantFrom<unknown>(...methods) },
				{ weight: 1, arbitrary: value },
			),
			params,
		},
		{ requiredKeys: ["jsonrpc", "method"] },
	)
	.map((message): Drawn => ({ body: JSON.stringify(message), headers: {} }));

const legacyCall = call.map(
	(drawn): Drawn => ({
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: drawn }),
		headers: {},
	}),
);

/** A message of the era of 2026-07-28, with fields that fit. */
const modern = fc
	.oneof(
		call.map((drawn) => modernMessage("tools/call", drawn)),
		fc.tuple(fc.constantFrom(...methods), fields).map(([method, drawn]) => modernMessage(method, drawn)),
	)
	.map(
		({ body, headers }): Drawn => ({
			body: JSON.stringify(body),
			headers: Object.fromEntries(
				Object.entries(headers).map(([name, text]) => [
					name,
					// A field holds no other characters.
					text.replace(/[^ -~]/g, "?").trim(),
				]),
			),
		}),
	);

const nested = (open: string, close: string) => open.repeat(6_000) + close.repeat(6_000);

const noMessage = fc
	.oneof(
		fc.json({ maxDepth: 8 }),
		fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
		fc.constantFrom(
			"",
			nested("[", "]"),
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${nested('{"a":', "}").replace('{"a":}', "{}")}}`,
			`{"jsonrpc":"2.0","id":"${"i".repeat(60_000)}","method":"ping"}`,
			`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`,
			`{"pad":"${"p".repeat(65_536)}"}`,
			`[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(200)}{}]`,
		),
	)
	.map((body): Drawn => ({ body, headers: {} }));

const mostly = (usual: string, ...others: string[]) =>
	fc.oneof(
		{ weight: 8, arbitrary: fc.constant(usual) },
		{ weight: 1, arbitrary: fc.constantFrom(...others) },
		{ weight: 1, arbitrary: latin1 },
	);

const usualHeaders = fc.record(
	{
		"content-type": mostly("application/json", "text/plain", ";", "*/*"),
		accept: mostly("application/json", "text/event-stream", "text/html", "*/*"),
		authorization: mostly(`Bearer ${KEY}`, "Bearer", "Basic YQ==", "Bearer ai_1"),
	},
	{ requiredKeys: ["content-type"] },
);

const rareHeaders = fc.record(
	{
		origin: fc.constantFrom("http://resort.test", "null", "https://e.test"),
		"mcp-protocol-version": mostly("2026-07-28", "2025-11-25", "9999-99-99"),
		"mcp-method": mostly("tools/call", "ping", "x"),
		"mcp-name": mostly("lobby", "=?base64?/w==?=", "=?base64?"),
		"mcp-session-id": latin1,
		"last-event-id": latin1,
	},
	{ requiredKeys: [] },
);

/** Requests to `/mcp` that are wrong in one way or in many; some of them come far. */
export const malformedMessage = fc
	.record({
		method: fc.oneof(
			{ weight: 20, arbitrary: fc.constant("POST") },
			{ weight: 1, arbitrary: fc.constantFrom("GET", "DELETE", "PUT") },
		),
		drawn: fc.oneof(
			{ weight: 3, arbitrary: legacy },
			{ weight: 6, arbitrary: legacyCall },
			{ weight: 4, arbitrary: modern },
			{ weight: 2, arbitrary: noMessage },
		),
		usual: usualHeaders,
		rare: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: rareHeaders }),
	})
	.map(({ method, drawn, usual, rare }) => ({
		method,
		body: drawn.body,
		headers: { ...usual, ...drawn.headers, ...rare } as Record<string, string>,
	}));

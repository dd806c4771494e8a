import fc from "fast-check";
import { tools } from "../../../src/features/mcp/tools.ts";
import { modernMessage } from "./support/tools.ts";

/** Placeholders for the key and the id of an agent. */
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

/** Draws the usual value `weight` times as often as the other one. */
const usually = (weight: number, usual: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown> = value) =>
	fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });

const call = fc.record({
	name: usually(12, fc.constantFrom(...tools.map(({ name }) => name)), latin1),
	arguments: usually(12, args),
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
	readonly headers?: Record<string, string>;
}

const legacy = fc
	.record(
		{
			jsonrpc: usually(30, fc.constant("2.0")),
			id: usually(10, fc.nat()),
			method: usually(10, fc.constantFrom(...methods)),
			params,
		},
		{ requiredKeys: ["jsonrpc", "method"] },
	)
	.map((message): Drawn => ({ body: JSON.stringify(message) }));

const legacyCall = call.map(
	(params): Drawn => ({ body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }) }),
);

/** A message of revision 2026-07-28 with matching header fields, which contain only printable ASCII. */
const modern = fc
	.oneof(
		call.map((drawn) => modernMessage("tools/call", drawn)),
		fc.tuple(fc.constantFrom(...methods), fields).map(([method, drawn]) => modernMessage(method, drawn)),
	)
	.map(({ body, headers }): Drawn => {
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
			`{"jsonrpc":"2.0","id":"${"i".repeat(60_000)}","method":"ping"}`,
			`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`,
			`{"pad":"${"p".repeat(65_536)}"}`,
			`[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(200)}{}]`,
		),
	)
	.map((body): Drawn => ({ body }));

const mostly = (usual: string, ...others: string[]) =>
	usually(4, fc.constant(usual), fc.oneof(latin1, fc.constantFrom(...others)));

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

/** Requests to `/mcp`, most of which are invalid in one or several ways. */
export const malformedMessage = fc
	.record({
		method: usually(20, fc.constant("POST"), fc.constantFrom("GET", "DELETE", "PUT")),
		drawn: fc.oneof(
			{ weight: 3, arbitrary: legacy },
			{ weight: 6, arbitrary: legacyCall },
			{ weight: 4, arbitrary: modern },
			{ weight: 2, arbitrary: noMessage },
		),
		usual: usualHeaders,
		rare: usually(4, fc.constant({}), rareHeaders),
	})
	.map(({ method, drawn, usual, rare }) => ({
		method: String(method),
		body: drawn.body,
		headers: Object.assign({}, usual, drawn.headers, rare) as Record<string, string>,
	}));

/**
 * Tests that the steps before the rate limit take time in proportion to the size of the request. An input
 * that takes long is compared with plain text of the same size. Only the fastest of several attempts counts,
 * because other programs can make an attempt slower, but not faster.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { House } from "../features/identity-provider/house.ts";
import { useResort } from "../support/use-resort.ts";

const BYTES = 64 * 1024;
const ATTEMPTS = 7;

/** The maximum ratio of the time for an input to the time for plain text. */
const MAX_RATIO = 100;

/** Any shorter time is accepted without a comparison with plain text. */
const HARMLESS_MS = 150;

/** Returns a text of at most 64 KiB that repeats `part` between `start` and `end`. */
const filled = (start: string, part: string, end: string, separator = "") => {
	const room = BYTES - start.length - end.length + separator.length;
	const count = Math.floor(room / (part.length + separator.length));
	return start + Array<string>(count).fill(part).join(separator) + end;
};

const numbered = (start: string, part: (at: number) => string, end: string) => {
	let text = start;
	for (let at = 0; ; at++) {
		const next = `${at === 0 ? "" : ","}${part(at)}`;
		if (text.length + next.length + end.length > BYTES) return text + end;
		text += next;
	}
};

const half = BYTES / 2 - 50;

/** Large JSON values, by their descriptions. */
const shapes: readonly (readonly [string, string])[] = [
	["unclosed lists", filled("", "[", "")],
	["nested lists", "[".repeat(half) + "]".repeat(half)],
	["nested objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
	["many items", filled("[", "1", "]", ",")],
	["many objects", filled("[", '{"a":1}', "]", ",")],
	["many field names", numbered("{", (at) => `"n${at}":1`, "}")],
	["many similar field names", numbered("{", (at) => `"name${at % 90}x${at}":1`, "}")],
	["many short unknown field names", numbered("{", (at) => `"zqx${at % 1000}":1`, "}")],
	["many duplicate fields", filled("{", '"name":"A"', "}", ",")],
	["a long field name", filled('{"', "n", '":1}')],
	["many quotation marks", filled('"', '\\"', '"')],
	["many backslashes", filled('"', "\\\\", '"')],
	["blanks before a value", filled("", " ", "1")],
	["control characters", filled('"', "\\u001b", '"')],
	["invisible characters", filled('"', "\\u202e", '"')],
	["lone surrogates", filled('"', "\\ud800", '"')],
	["a long number", filled("", "9", "")],
	["a long URL", filled('"https://a.test/', "%", '"')],
];

/** Texts that are repeated to fill the value of a header field up to 16 KiB, the limit of the server. */
const fields = [",", ";", " ", '"', '\\"', "q=", "return=", "a=b;", "*/*,", "=", "@"];

/** Returns the time of the fastest attempt, or of the first attempt that takes less than `harmlessMs`. */
const fastest = async (send: () => Promise<unknown>, harmlessMs = 0) => {
	let best = Number.POSITIVE_INFINITY;
	for (let attempt = 0; attempt < ATTEMPTS && best >= harmlessMs; attempt++) {
		const startedAt = performance.now();
		await send();
		best = Math.min(best, performance.now() - startedAt);
	}
	return best;
};

async function expectLinear(send: (input: string) => Promise<unknown>, input: string, plain: string) {
	const ms = await fastest(() => send(input), HARMLESS_MS);
	if (ms < HARMLESS_MS) return;
	expect(ms).toBeLessThan(MAX_RATIO * (await fastest(() => send(plain))));
}

const resort = useResort({ shared: true, testControls: true });
const house = new House();
afterAll(() => house[Symbol.asyncDispose]());
let key: string;
beforeAll(async () => {
	({ key } = await resort.guest());
});

let calls = 0;
const json = { "content-type": "application/json" };

const post = (path: string, raw: string, headers: Record<string, string> = {}) =>
	resort.call("POST", path, {
		raw,
		key,
		headers: { ...json, "idempotency-key": `a-new-key-for-each-call-${calls++}`, ...headers },
	});

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The places in which a request contains a JSON value, each with the maximum length of the value. */
const places: readonly (readonly [
	place: string,
	length: number,
	send: (value: string) => Promise<unknown>,
])[] = [
	["the body of a registration", BYTES, (raw) => post("/api/agents", raw)],
	["a field of a registration", BYTES - 20, (value) => post("/api/agents", `{"name":${value}}`)],
	// Unknown fields are accepted, so this call passes all steps.
	["an unknown field", BYTES - 30, (value) => post("/api/agents", `{"name":"Ada","x":${value}}`)],
	["a postcard", BYTES, (raw) => post("/api/postcards", raw)],
	["the message of a postcard", BYTES - 20, (value) => post("/api/postcards", `{"message":${value}}`)],
	["the API key of a login", BYTES - 20, (value) => post("/api/session", `{"apiKey":${value}}`)],
	["an MCP message", BYTES, (raw) => post("/mcp", raw)],
	[
		"the argument of a tool",
		BYTES - 150,
		(value) =>
			post(
				"/mcp",
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_postcard","arguments":{"message":${value}}}}`,
			),
	],
	["the body of /test/faults", BYTES, (raw) => post("/test/faults", raw, { host: "127.0.0.1" })],
	["a field of a form", BYTES - 10, (value) => post("/me/sign-in", `apiKey=${value}`, FORM)],
	["a query", 16_384, (value) => resort.call("GET", `/api/events?ids=${encodeURIComponent(value)}`)],
];

describe.each(shapes)("parsing JSON with %s", (_, shape) => {
	test.each(places)("takes linear time if the JSON is %s", async (_place, length, send) => {
		await expectLinear(send, shape.slice(0, length), JSON.stringify("p".repeat(length - 100)));
	});
});

test.each([
	["`a=1` parameters", filled("", "a=1", "", "&")],
	["`ids=a` parameters", filled("", "ids=a", "", "&")],
	["ids in one parameter", filled("ids=", "a", "", ",")],
	["escaped commas in one parameter", filled("ids=", "%2C", "")],
	["empty parameters", filled("", "&", "")],
	["invalid escapes", filled("", "%zz", "")],
	["`_=` parameters", filled("", "_=", "", "&")],
])("parsing a query or a form with many %s takes linear time", async (_, query) => {
	for (const path of ["/api/events", "/api/agents/status", "/api/health"]) {
		const send = (text: string) => resort.call("GET", `${path}?${text}`);
		// A request line has at most 16 KiB.
		const most = 16_384;
		await expectLinear(send, query.slice(0, most), `ids=${"p".repeat(most)}`);
	}
	await expectLinear((raw) => post("/me/sign-in", raw, FORM), query, "p".repeat(BYTES));
});

const names = `accept accept-encoding authorization content-type cookie content-encoding idempotency-key if-none-match
	last-event-id origin prefer sec-fetch-site signature signature-input content-digest x-agent-capability
	x-request-id`;

describe.each(names.split(/\s+/).map((name) => [name]))('parsing the header field "%s"', (name) => {
	test.each(fields)("takes linear time if its value repeats `%s`", async (part) => {
		const prefixes = ["", "bearer", "return", "application/", "sig1=(", 'W/"'];
		for (const one of [resort, house.resort]) {
			for (const prefix of prefixes) {
				const send = (value: string) =>
					one.call("POST", "/api/checkin", { raw: "{}", headers: { ...json, [name]: value } });
				const value = prefix + part.repeat(16_000 / part.length);
				await expectLinear(send, value, "p".repeat(16_000));
				const read = (value: string) => one.call("GET", "/api/events", { headers: { [name]: value } });
				if (!name.startsWith("accept")) await expectLinear(read, value, "p".repeat(16_000));
			}
		}
	});
});

/**
 * Sends random valid and invalid requests. To send a million of them: `HTTP_REQUESTS=1000000 npx bun test
 * test/whole/fuzz.test.ts --timeout 3600000`.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { DocumentOperation, OpenApiDocument } from "../../src/features/documents/openapi.ts";
import { requireDocumented } from "../features/documents/conformance.ts";
import { expectFailure, LEAK } from "../support/answers.ts";
import { expectNoWarnings, useServer } from "../support/use-resort.ts";
import { AGENT, allowed, doubtful, KEY, mixed } from "./fuzz-values.ts";

const REQUESTS = Number(process.env.HTTP_REQUESTS ?? 2_000);
const TIMEOUT_MS = 60_000 + REQUESTS * 10;
const COOKIE = "__Host-resort_session";
/** Longer request targets are cut to this length, because the runtime would close the connection. */
const MAX_TARGET = 8 * 1024;
/** The placeholder for the id of an existing experience. */
const EXPERIENCE = "$EXPERIENCE$";

/** A random request. Placeholders such as {@link AGENT} are replaced when it is sent. */
interface Drawn {
	readonly method: string;
	readonly target: string;
	readonly credential: "key" | "session" | "none" | "garbage";
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array<ArrayBuffer> | null;
}

function rarely<T>(other: fc.Arbitrary<T>, usual: T): fc.Arbitrary<T> {
	return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

const latin1 = fc.string({
	unit: fc
		.integer({ min: 0x20, max: 0xff })
		.filter((code) => code !== 0x7f)
		.map((code) => String.fromCharCode(code)),
	maxLength: 40,
});

/** Unusual parts of a path or a query. */
const odd = fc.oneof(
	fc.constantFrom("%", "%zz", "%ff", "%00", "%2f", "%2e%2e", "%F0%9F", "%E2%80%AE", "%252f", "a%0d%0ab", "+"),
	fc.constantFrom("__proto__", "constructor", "null", "-1", "*", ":id", "1e9", "A".repeat(5_000)),
	fc.string({ unit: "binary", maxLength: 60 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

const headers = fc.record(
	{
		"content-type": fc.constantFrom("text/plain", ";", "*/*", "APPLICATION/JSON; charset=latin1"),
		"content-encoding": fc.constantFrom("gzip", "br", "identity", "x"),
		origin: fc.constantFrom("null", "https://elsewhere.test", "http://"),
		"x-request-id": latin1,
		"if-none-match": fc.constantFrom("*", '"x"', 'W/"1", "2"'),
		accept: latin1,
		"accept-encoding": fc.constantFrom("gzip", "br;q=1", "*"),
		range: fc.constantFrom("bytes=0-1", "bytes=-9", "x"),
		expect: fc.constantFrom("x"),
		signature: latin1,
		"signature-input": latin1,
	},
	{ requiredKeys: [] },
);

/** Bodies that are invalid for every operation. */
const brokenBody = fc.oneof(
	fc.constantFrom("", "{", "null", "[{}]", '"x"', '{"a":1}{"b":2}', '{"name":"\\ud800"}', '{"rating":1e999}'),
	fc.constantFrom(`{"a":"${"p".repeat(200_000)}"}`, `{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`),
	fc.json({ maxDepth: 6 }),
	fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
);

/** Valid and invalid requests for every operation of an OpenAPI document, sometimes with another method. */
function requestsOf(document: OpenApiDocument): fc.Arbitrary<Drawn> {
	const all = Object.entries(document.paths).flatMap(([template, methods]) =>
		Object.entries(methods).map(([name, operation]) => {
			const method = name.toUpperCase();
			const arbitrary = fc.record({
				method: rarely(fc.constantFrom("HEAD", "PUT", "OPTIONS"), method),
				target: targetOf(template, operation),
				credential: fc.constantFrom("key", "key", "key", "session", "none", "garbage"),
				headers: rarely(headers, {}),
				body: method === "GET" ? fc.constant(null) : bodyOf(operation),
			}) satisfies fc.Arbitrary<Drawn>;
			// Draws operations whose paths begin with /api/ more often than others.
			return { weight: template.startsWith("/api/") ? 6 : 1, arbitrary };
		}),
	);
	return fc.oneof(...all);
}

function targetOf(template: string, { parameters = [] }: DocumentOperation): fc.Arbitrary<string> {
	const isOfAgent = template.startsWith("/api/agents/");
	const isActivity = template.startsWith("/api/activities/");
	const id = rarely(odd, isOfAgent ? AGENT : isActivity ? "tidepool-float" : EXPERIENCE);
	const toQuery = (value: unknown) => encodeURIComponent(String(JSON.stringify(value)).replace(/^"|"$/g, ""));
	const named = parameters.filter((one) => one.in === "query");
	const values = named.map(({ name, schema }) => [
		name,
		name === "ids"
			? fc.array(rarely(odd, AGENT), { maxLength: 101 }).map((ids) => ids.join())
			: fc.oneof(
					{ weight: 5, arbitrary: allowed(schema).map(toQuery) },
					{ weight: 1, arbitrary: doubtful(schema).map(toQuery) },
					{ weight: 1, arbitrary: odd },
				),
	]);
	const query = fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<string>>, {
		requiredKeys: [],
	});
	return fc
		.tuple(id, query, rarely(fc.dictionary(odd, odd, { maxKeys: 3 }), {}))
		.map(([one, known, unknown]) => {
			const pairs = Object.entries({ ...unknown, ...known }).map(([name, value]) => `${name}=${value}`);
			// Sets `wait` to 0, so that the call returns at once and does not delay the test.
			const text = pairs.join("&").replace(/\bwait=([1-9]|[1-5]\d|60)\b/, "wait=0");
			return template.replace("{id}", () => one) + (text && `?${text}`);
		});
}

function bodyOf(operation: DocumentOperation): fc.Arbitrary<Drawn["body"]> {
	const schema = operation.requestBody?.content["application/json"]?.schema;
	if (schema === undefined) return rarely(brokenBody, null);
	const toJson = (value: unknown) => JSON.stringify(value) ?? "";
	return fc.oneof(
		{ weight: 8, arbitrary: allowed(schema).map(toJson) },
		{ weight: 8, arbitrary: mixed(schema).map(toJson) },
		{ weight: 1, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: brokenBody },
	);
}

const server = useServer(
	["serve", "--ephemeral", "--rate-limits=off", "--log-level=warning"],
	{},
	expectNoWarnings,
);

/** The agent that makes calls, until one of them may have invalidated its key, session or experience. */
const agent = { id: "", key: "", session: "", experience: "" };

async function renewAgent(): Promise<void> {
	const guest = await server.guest();
	const session = await server.login(guest.key);
	Object.assign(agent, guest, { session, experience: (await server.create(guest)).id });
}

/** Replaces the placeholders in a part of a request. */
function fill(text: string): string {
	return text.replaceAll(AGENT, agent.id).replaceAll(KEY, agent.key).replaceAll(EXPERIENCE, agent.experience);
}

function headersOf(credential: Drawn["credential"]): Record<string, string> {
	if (credential === "none") return {};
	if (credential === "key") return { authorization: `Bearer ${agent.key}` };
	if (credential === "session") return { cookie: `${COOKIE}=${agent.session}` };
	return { authorization: "Bearer \u00ff", cookie: `;=; a; ${COOKIE}; ${COOKIE}=%ff; ${COOKIE}={}` };
}

/** Sends a request, and returns the status of its response, which must match the OpenAPI document. */
async function check(document: OpenApiDocument, drawn: Drawn): Promise<number> {
	const { method, body } = drawn;
	const target = fill(drawn.target).slice(0, MAX_TARGET);
	const answered = await server.call(method, target, {
		...(body !== null && method !== "HEAD" && { raw: typeof body === "string" ? fill(body) : body }),
		headers: { "content-type": "application/json", ...drawn.headers, ...headersOf(drawn.credential) },
	});
	const { status, text } = answered;
	const contentType = answered.headers.get("content-type") ?? "";
	expect(status, text).toBeWithin(200, 500);
	if (status >= 400) expect(text).not.toMatch(LEAK);
	if (method === "HEAD") {
		expect(text).toBe("");
		return status;
	}
	const { pathname } = new URL(target, server.url);
	const isKnown = requireDocumented(document, method, pathname, { status, contentType, text });
	// HTML pages are not in the OpenAPI document, and their 304 responses have no Content-Type.
	const isPage = contentType.startsWith("text/html") || status === 304;
	if (!isKnown && !isPage) expectFailure(answered, 404);
	const isEnd = method === "DELETE" || pathname === "/api/me/api-key";
	if (isEnd && status < 300) await renewAgent();
	return status;
}

test(
	`the responses to ${REQUESTS} random requests match the OpenAPI document`,
	async () => {
		const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
		const statuses = new Set<number>();
		await renewAgent();
		const property = fc.asyncProperty(requestsOf(document), async (drawn) => {
			statuses.add(await check(document, drawn));
		});
		await fc.assert(property, { numRuns: REQUESTS });
		expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 201, 304, 400, 401, 403, 404]));
	},
	TIMEOUT_MS,
);

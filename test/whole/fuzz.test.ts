/**
 * Sends random valid and invalid requests. To send a million of them: `HTTP_REQUESTS=1000000 npx bun test
 * test/whole/fuzz.test.ts --timeout 3600000`.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { resolve } from "../../src/core/calls/operation-schema.ts";
import type { DocumentOperation, OpenApiDocument } from "../../src/features/documents/openapi.ts";
import { requireDocumented } from "../features/documents/conformance.ts";
import { LEAK } from "../support/answers.ts";
import { expectNoWarnings, useServer } from "../support/use-resort.ts";
import { AGENT, allowed, doubtful, KEY, mixed } from "./fuzz-values.ts";

const REQUESTS = Number(process.env.HTTP_REQUESTS ?? 2_000);
/** The number of clients that send at the same time, each with its own agent. */
const CLIENTS = 20;
const TIMEOUT_MS = 60_000 + REQUESTS * 10;
const COOKIE = "__Host-resort_session";
/** The runtime refuses longer request targets, and closes the connection while they are sent. */
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

/** Valid and invalid requests for every operation of a document, sometimes with another method. */
function requestsOf(document: OpenApiDocument): fc.Arbitrary<Drawn> {
	const all = Object.entries(document.paths).flatMap(([template, methods]) =>
		Object.entries(methods).map(([name, operation]) => {
			const method = name.toUpperCase();
			const arbitrary = fc.record({
				method: rarely(fc.constantFrom("HEAD", "PUT", "OPTIONS"), method),
				target: targetOf(template, operation),
				credential: fc.constantFrom("key", "key", "key", "session", "none", "garbage"),
				headers: rarely(headers, {}),
				body: method === "GET" ? fc.constant(null) : bodyOf(document, operation),
			}) satisfies fc.Arbitrary<Drawn>;
			// Operations of the API are drawn more often than documents.
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
			// Makes the call return at once, because a waiting call would delay the test.
			const text = pairs.join("&").replace(/\bwait=([1-9]|[1-5]\d|60)\b/, "wait=0");
			return template.replace("{id}", () => one) + (text && `?${text}`);
		});
}

function bodyOf({ components }: OpenApiDocument, operation: DocumentOperation): fc.Arbitrary<Drawn["body"]> {
	const schema = operation.requestBody?.content["application/json"]?.schema;
	if (schema === undefined) return rarely(brokenBody, null);
	const whole = resolve(schema, components.schemas);
	const toJson = (value: unknown) => JSON.stringify(value) ?? "";
	return fc.oneof(
		{ weight: 8, arbitrary: allowed(whole).map(toJson) },
		{ weight: 8, arbitrary: mixed(whole).map(toJson) },
		{ weight: 1, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: brokenBody },
	);
}

function isError(text: string): boolean {
	return typeof (JSON.parse(text) as { error: unknown }).error === "string";
}

const server = useServer(
	["serve", "--ephemeral", "--rate-limits=off", "--log-level=warning"],
	{},
	expectNoWarnings,
);

/** A client with an agent. The agent is replaced when its key, session or experience has ended. */
class Client {
	#id = "";
	#key = "";
	#session = "";
	#experience = "";

	constructor(
		readonly document: OpenApiDocument,
		readonly statuses: Set<number>,
	) {}

	async renew(): Promise<void> {
		const guest = await server.guest();
		this.#id = guest.id;
		this.#key = guest.key;
		this.#session = await server.login(guest.key);
		this.#experience = (await server.create(guest)).id;
	}

	async check({ method, credential, headers, ...drawn }: Drawn): Promise<void> {
		const target = this.#fill(drawn.target);
		if (target.length > MAX_TARGET) return;
		const body = typeof drawn.body === "string" ? this.#fill(drawn.body) : drawn.body;
		const answered = await server.call(method, target, {
			...(body !== null && method !== "HEAD" && { raw: body }),
			headers: { "content-type": "application/json", ...headers, ...this.#credential(credential) },
		});
		const { status, text } = answered;
		const contentType = answered.headers.get("content-type") ?? "";
		this.statuses.add(status);
		expect(status, text).toBeWithin(200, 500);
		if (status >= 400) expect(text).not.toMatch(LEAK);
		if (method === "HEAD") return expect(text).toBe("");
		const { pathname } = new URL(target, server.url);
		const isKnown = requireDocumented(this.document, method, pathname, { status, contentType, text });
		// Pages are not in the document, and their 304 responses have no Content-Type.
		const isPage = contentType.startsWith("text/html") || status === 304;
		if (!isKnown && !isPage) {
			expect({ status, isError: isError(text) }, text).toEqual({ status: 404, isError: true });
		}
		const isEnd = method === "DELETE" || pathname === "/api/me/api-key";
		if (isEnd && status < 300) await this.renew();
	}

	#fill(text: string): string {
		return text
			.replaceAll(AGENT, this.#id)
			.replaceAll(KEY, this.#key)
			.replaceAll(EXPERIENCE, this.#experience);
	}

	#credential(credential: Drawn["credential"]): Record<string, string> {
		if (credential === "none") return {};
		if (credential === "key") return { authorization: `Bearer ${this.#key}` };
		if (credential === "session") return { cookie: `${COOKIE}=${this.#session}` };
		return { authorization: "Bearer \u00ff", cookie: `;=; a; ${COOKIE}; ${COOKIE}=%ff; ${COOKIE}={}` };
	}
}

test(
	`the responses to ${REQUESTS} random requests match the OpenAPI document`,
	async () => {
		const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
		const requests = requestsOf(document);
		const statuses = new Set<number>();
		const play = async () => {
			const client = new Client(document, statuses);
			await client.renew();
			await fc.assert(
				fc.asyncProperty(requests, (drawn) => client.check(drawn)),
				{ numRuns: REQUESTS / CLIENTS },
			);
		};
		await Promise.all(Array.from({ length: CLIENTS }, play));
		expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 201, 304, 400, 401, 403, 404]));
	},
	TIMEOUT_MS,
);

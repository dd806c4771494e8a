import fc from "fast-check";
import { resolve } from "../../../src/core/calls/operation-schema.ts";
import type { DocumentOperation, OpenApiDocument } from "../../../src/features/documents/openapi.ts";
import { AGENT, allowed, doubtful, mixed } from "./fuzz-values.ts";

/** The placeholder for the id of an existing experience. */
export const EXPERIENCE = "$EXPERIENCE$";

/** Credentials that are sent less often than a key or a session. */
const unusual = [
	"none",
	"both",
	"other scheme",
	"revoked key",
	"revoked session",
	"mistyped key",
	"central key",
	"garbage",
] as const;

export type Credential = "key" | "session" | (typeof unusual)[number];

/** A random request. Placeholders such as `$AGENT$` are replaced when it is sent. */
export interface Drawn {
	readonly method: string;
	/** The path in the document; null if the document has none. */
	readonly template: string | null;
	readonly target: string;
	readonly credential: Credential;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array<ArrayBuffer> | null;
}

const credential: fc.Arbitrary<Credential> = fc.oneof(
	{ weight: 12, arbitrary: fc.constant("key" as const) },
	{ weight: 3, arbitrary: fc.constant("session" as const) },
	{ weight: 5, arbitrary: fc.constantFrom(...unusual) },
);

const latin1 = fc.string({
	unit: fc
		.integer({ min: 0x20, max: 0xff })
		.filter((code) => code !== 0x7f)
		.map((code) => String.fromCharCode(code)),
	maxLength: 40,
});

const encoded = fc
	.string({ unit: "binary", maxLength: 60 })
	.map((text) => encodeURIComponent(text.toWellFormed()));

/** Unusual parts of a path or a query. */
const odd = fc.oneof(
	fc.constantFrom("%", "%zz", "%ff", "%00", "%2f", "%2e%2e", "%F0%9F", "+"),
	fc.constantFrom("__proto__", "constructor", "null", "-1", "*", ":id", "1e9"),
	fc.constantFrom("%E2%80%AE", "%25", "%252f", "a%0d%0ab", "A".repeat(9_000)),
	fc.uuid(),
	encoded,
);

const headers = fc.record(
	{
		"content-type": fc.constantFrom(
			"text/plain",
			"application/x-www-form-urlencoded",
			";",
			"*/*",
			"application/problem+json",
			"APPLICATION/JSON; charset=latin1",
			"multipart/form-data; boundary=x",
		),
		"content-encoding": fc.constantFrom("gzip", "br", "identity", "x"),
		origin: fc.constantFrom("null", "https://elsewhere.test", "http://"),
		"x-forwarded-for": latin1,
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

const otherMethods = ["GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"];

/** Bodies that are invalid for every operation. */
const brokenBody = fc.oneof(
	fc.constantFrom(
		"",
		"{",
		"null",
		"[]",
		"[{}]",
		'"x"',
		"1",
		'{"a":1}{"b":2}',
		"{'a':1}",
		'{"name":"\\ud800"}',
		'{"rating":1e999}',
		'{"name":"a","name":"b"}',
		`{"pad":"${"p".repeat(65_530)}"}`,
		`{"a":"${"p".repeat(200_000)}"}`,
		`{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
	),
	fc.json({ maxDepth: 6 }),
	fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
);

/** Valid and invalid requests for every operation of a document, and for unknown routes. */
export function requestsOf(document: OpenApiDocument): fc.Arbitrary<Drawn> {
	const all = Object.entries(document.paths).flatMap(([template, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			// Operations of the API are drawn more often than documents.
			weight: template.startsWith("/api/") ? 6 : 1,
			arbitrary: requestOf(document, template, method.toUpperCase(), operation),
		})),
	);
	const meant = fc.oneof(...all);
	return fc.oneof(
		{ weight: 18, arbitrary: meant },
		{ weight: 1, arbitrary: otherMethod(meant) },
		{ weight: 1, arbitrary: nowhere(document) },
	);
}

function requestOf(
	document: OpenApiDocument,
	template: string,
	method: string,
	operation: DocumentOperation,
): fc.Arbitrary<Drawn> {
	return fc.record({
		method: fc.constant(method),
		template: fc.constant(template),
		target: targetOf(template, operation),
		credential,
		headers: rarely(headers, {}),
		body: method === "GET" ? fc.constant(null) : bodyOf(document, operation),
	});
}

function targetOf(template: string, { parameters = [] }: DocumentOperation): fc.Arbitrary<string> {
	const id = rarely(odd, idOf(template));
	const named = parameters.filter((one) => one.in === "query");
	const values = named.map(({ name, schema }): [string, fc.Arbitrary<string>] => [
		name,
		name === "ids"
			? fc.array(rarely(odd, AGENT), { maxLength: 101 }).map((ids) => ids.join())
			: fc.oneof(
					{ weight: 5, arbitrary: allowed(schema).map(toQuery) },
					{ weight: 1, arbitrary: doubtful(schema).map(toQuery) },
					{ weight: 1, arbitrary: odd },
				),
	]);
	const query = fc.record(Object.fromEntries(values), { requiredKeys: [] });
	const others = rarely(fc.dictionary(odd, odd, { maxKeys: 3 }), {});
	return fc.tuple(id, query, others).map(([one, known, unknown]) => {
		const pairs = Object.entries({ ...unknown, ...known });
		const text = pairs.map(([name, value]) => `${name}=${value}`).join("&");
		const path = template.replace("{id}", () => one);
		// Nothing waits.
		const query = text.replace(/\bwait=([1-9]|[1-5]\d|60)\b/, "wait=0");
		return query === "" ? path : `${path}?${query}`;
	});
}

function idOf(template: string): string {
	if (template.startsWith("/api/agents/")) return AGENT;
	return template.startsWith("/api/activities/") ? "tidepool-float" : EXPERIENCE;
}

function toQuery(value: unknown): string {
	return encodeURIComponent(String(JSON.stringify(value)).replace(/^"|"$/g, ""));
}

function bodyOf(
	{ components }: OpenApiDocument,
	{ requestBody }: DocumentOperation,
): fc.Arbitrary<Drawn["body"]> {
	const schema = requestBody?.content["application/json"]?.schema;
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

function otherMethod(meant: fc.Arbitrary<Drawn>): fc.Arbitrary<Drawn> {
	return fc.tuple(meant, fc.constantFrom(...otherMethods, "HEAD")).map(([drawn, method]) => ({
		...drawn,
		method,
		body: method === "GET" || method === "HEAD" ? null : drawn.body,
	}));
}

/** A path that is usually not in the document. */
function nowhere(document: OpenApiDocument): fc.Arbitrary<Drawn> {
	return fc
		.record({
			method: fc.constantFrom(...otherMethods),
			target: fc
				.array(fc.oneof(odd, fc.constantFrom("api", "agents", "me", "..")))
				.map((parts) => `/${parts.join("/")}`),
			credential,
			headers: rarely(headers, {}),
			body: fc.constant(null),
		})
		.map((drawn) => {
			const path = pathOf(drawn.target);
			const isKnown = Object.hasOwn(document.paths, path);
			return { ...drawn, template: isKnown ? path : null };
		});
}

/** Whether a target has segments that the service resolves (RFC 3986, section 5.2.4). */
export function hasDots(target: string): boolean {
	return /\/(\.|%2e){1,2}(\/|\?|$)/i.test(target);
}

/** The path of a target without dot segments. */
export function pathOf(target: string): string {
	const [path = ""] = target.split("?", 1);
	return hasDots(target) ? new URL(`http://resort.test${path}`).pathname : path;
}

function rarely<T>(other: fc.Arbitrary<T>, usual: T): fc.Arbitrary<T> {
	return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

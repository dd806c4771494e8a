import fc from "fast-check";
import { operations } from "./operations.ts";

const targets = operations.filter(({ document }) => !document);
/** What stands for the credentials and the id of a real agent. */
export const placeholder = {
	session: "SESSION",
	key: "KEY",
	id: "ID",
} as const;
const { session: SESSION, key: KEY, id: ID } = placeholder;

const latin1 = fc.string({
	unit: fc
		.integer({ min: 0x20, max: 0xff })
		.filter((code) => code !== 0x7f)
		.map((code) => String.fromCharCode(code)),
	maxLength: 40,
});
const unicode = fc.string({ unit: "binary", maxLength: 60 });

const part = fc.oneof(
	fc.constantFrom(ID, "exp-ID", "status", "me", "null", "undefined", "-1"),
	fc.constantFrom("%", "%zz", "%ff", "%00", "%2f", "%2e%2e", "..", "%F0%9F"),
	fc.constantFrom("__proto__", "constructor", "' OR 1=1 --", "*", ":id", ""),
	fc.uuid(),
	unicode.map((text) => encodeURIComponent(text.toWellFormed())),
	latin1,
	fc.integer({ min: 1, max: 9_000 }).map((length) => "p".repeat(length)),
);

const target = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.record({ operation: fc.constantFrom(...targets), part })
			.map((drawn) => drawn.operation.path.replace(":id", () => drawn.part)),
	},
	{ weight: 1, arbitrary: fc.array(part).map((all) => `/${all.join("/")}`) },
	{ weight: 1, arbitrary: part.map((one) => `/api/${one}`) },
);

const fieldName = fc.constantFrom(
	...new Set(targets.flatMap(({ body }) => Object.keys(body?.good ?? {}))),
	...["phase", "interests", "relaxationStyle", "comfortObjects", "avatarUrl"],
	...["roomPreference", "review", "mood", "recipientId", "__proto__"],
	...["maxParticipants", "relaxationPoints", "constructor", "toString"],
);

const queryValue = fc.oneof(
	fc.constantFrom("", "0", "1", "100", "1e9", "0x1", "NaN", "%ff", "%", "+"),
	fc.maxSafeInteger().map(String),
	part,
);
const query = fc
	.array(
		fc.tuple(
			fc.constantFrom(
				"limit",
				"offset",
				"ids",
				"sort",
				"category",
				"x",
				"__proto__",
				"",
			),
			queryValue,
		),
		{ maxLength: 3 },
	)
	.map((all) => all.map(([name, value]) => `${name}=${value}`).join("&"));

const value = fc.oneof(
	unicode,
	fc.constantFrom("", " ", "\0", "\ud800", "Ada", "https://a.test", "discover"),
	fc.constantFrom(0, -0, 1e308, -1, 0.5, 2 ** 53, null, true, false),
	fc.integer({ min: 1, max: 2_000 }).map((length) => "v".repeat(length)),
	fc.array(unicode, { maxLength: 12 }),
	fc.jsonValue({ maxDepth: 6 }),
);

const good = fc
	.constantFrom(...targets)
	.map(({ body }): object => body?.good ?? {});
const object = fc.dictionary(fieldName, value, { maxKeys: 6 });

const body = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(null) },
	{ weight: 4, arbitrary: good.map((one) => JSON.stringify(one)) },
	{
		weight: 8,
		arbitrary: fc
			.tuple(good, object)
			.map(([base, over]) => JSON.stringify({ ...base, ...over })),
	},
	{ weight: 2, arbitrary: object.map((one) => JSON.stringify(one)) },
	{ weight: 2, arbitrary: fc.json({ maxDepth: 8 }) },
	{ weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map(toBuffer) },
	{
		weight: 1,
		arbitrary: object.map((one) => JSON.stringify(one).slice(0, -1)),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			'{"rating":1e999,"durationMinutes":99999999999999999999}',
			'{"name":"\\ud800\\u0000"}',
			`{"a":${"[".repeat(500)}${"]".repeat(500)}}`,
			`{"pad":"${"p".repeat(65_536)}"}`,
		),
	},
);

function toBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return new Uint8Array(bytes);
}

/** A header that mostly is as it should be, so that requests come far. */
const mostly = (usual: string, ...others: fc.Arbitrary<string>[]) =>
	fc.oneof(
		{ weight: 4, arbitrary: fc.constant(usual) },
		...others.map((arbitrary) => ({ weight: 1, arbitrary })),
	);

const session = `__Host-resort_session=${SESSION}`;
const headers = fc.record(
	{
		"content-type": mostly(
			"application/json",
			fc.constantFrom("text/plain", "multipart/form-data", ";", "*/*"),
			latin1,
		),
		authorization: mostly(
			`Bearer ${KEY}`,
			fc.constantFrom("Bearer", "bearer  x", "Basic YQ==", `${KEY}`, "ai_1"),
			latin1.map((text) => `Bearer ${text}`),
			latin1,
		),
		cookie: mostly(
			session,
			latin1,
			latin1.map((text) => `__Host-resort_session=${text}`),
			fc.json().map((text) => `__Host-resort_session=${encodeURI(text)}`),
			latin1.map((text) => `${text}; ${session}; ${session}=`),
		),
		origin: fc.constantFrom("http://resort.test", "null", "https://e.test"),
		"x-forwarded-for": latin1,
		"content-length": fc.constantFrom("-1", "x", "1e9", "70000", "0"),
		accept: latin1,
		"accept-encoding": latin1,
		signature: latin1,
	},
	{ requiredKeys: [] },
);

/** Requests that are wrong in one way or in many; some of them come far. */
export const malformedRequest = fc.record({
	method: fc.oneof(
		{
			weight: 6,
			arbitrary: fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
		},
		{ weight: 1, arbitrary: fc.constantFrom("PUT", "HEAD", "OPTIONS") },
	),
	target,
	query,
	headers,
	body,
});

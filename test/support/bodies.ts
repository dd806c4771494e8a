import type { CallOptions } from "./calls.ts";
/** A request body with a name for the titles of tests. */
export interface NamedBody {
	readonly name: string;
	readonly ask: CallOptions;
}

/** Returns options that send the text unchanged, with the Content-Type of JSON. */
export function asJson(raw: string): CallOptions {
	return { raw, headers: { "content-type": "application/json" } };
}

function asType(raw: string, contentType: string): CallOptions {
	return { raw, headers: { "content-type": contentType } };
}

/** Bodies that are not JSON objects, or whose Content-Type is not JSON. */
export const brokenBodies: readonly NamedBody[] = [
	{ name: "null", ask: asJson("null") },
	{ name: "a list", ask: asJson("[]") },
	{ name: "a list of an object", ask: asJson("[{}]") },
	{ name: "a number", ask: asJson("1") },
	{ name: "a string", ask: asJson('"rested"') },
	{ name: "an object that breaks off", ask: asJson("{") },
	{ name: "an object of plain text", ask: asType("{}", "text/plain") },
	{ name: "a form", ask: asType("notes=rest", "application/x-www-form-urlencoded") },
	{ name: "an object of no type", ask: { raw: new TextEncoder().encode("{}") } },
];

/** A body that is refused only because it is larger than 64 KiB. */
export const largeBody: CallOptions = { body: { padding: "a".repeat(64 * 1024) } };

/** Texts that the database cannot store and return unchanged. */
export const unstorable: readonly string[] = [
	"NUL \0 inside",
	"lone \ud800 high surrogate",
	"lone \udc00 low surrogate",
	"turned \udf34\ud83c pair",
];

import type { CallOptions } from "./calls.ts";

/**
 * Returns the options for a call that sends the text unchanged as its body, with the Content-Type of JSON.
 */
export function asJson(raw: string): CallOptions {
	return { raw, headers: { "content-type": "application/json" } };
}

/** A body that is refused only because it is larger than 64 KiB. */
export const largeBody: CallOptions = { body: { padding: "a".repeat(64 * 1024) } };

/** Texts that the database cannot store and return unchanged. */
export const unstorable: readonly string[] = [
	"NUL \0 inside",
	"lone \ud800 high surrogate",
	"lone \udc00 low surrogate",
	"turned \udf34\ud83c pair",
];

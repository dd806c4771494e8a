/** What the signature of a signed call covers, and how it is made (RFC 9421). */
import { createHmac } from "node:crypto";

/** What a signature covers, in this order and without parameters. */
export const components = [
	"@method",
	"@target-uri",
	"content-digest",
	"x-agent-subject",
	"x-agent-id",
	"x-agent-capability",
	"x-agent-mode",
] as const;

/** The value of each component of one call. */
export type ComponentValues = Readonly<
	Record<(typeof components)[number], string>
>;

/** What the parameters `alg` and `tag` must be. */
export const ALGORITHM = "hmac-sha256";
export const TAG = "agent-auth-proxy";

/** The key ids of the first and the second secret. */
export const keyIds = ["resort-1", "resort-2"] as const;

/** `expires` - `created` at most. */
export const MAX_VALID_SECONDS = 60;
/** How long a nonce may be, in characters. */
export const MAX_NONCE_LENGTH = 128;

/**
 * The signature base (RFC 9421 section 2.5) of any components.
 * @param values each component's name and value, in order; none may hold a line break
 * @param signatureParams the inner list with its parameters, as `Signature-Input` has it after the label
 */
export function signatureBase(
	values: readonly (readonly [component: string, value: string])[],
	signatureParams: string,
): string {
	const lines = values.map(([component, value]) => `"${component}": ${value}`);
	return [...lines, `"@signature-params": ${signatureParams}`].join("\n");
}

/**
 * The signature of a call: HMAC-SHA-256 (RFC 9421 section 3.3.3) of the base of {@link components}.
 * @param key the raw bytes of the key
 * @returns 32 bytes
 */
export function signatureOf(
	key: Uint8Array,
	values: ComponentValues,
	signatureParams: string,
): Buffer {
	const pairs = components.map((name) => [name, values[name]] as const);
	return hmac(key, signatureBase(pairs, signatureParams));
}

/** HMAC-SHA-256 of a text's UTF-8 bytes. */
export function hmac(key: Uint8Array, text: string): Buffer {
	return createHmac("sha256", key).update(text).digest();
}

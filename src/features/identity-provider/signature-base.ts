/** The signature of a call (RFC 9421): the components that it covers, and its computation. */
import { createHash, createHmac } from "node:crypto";
import { deriveKey } from "../../core/lib/sealed-text.ts";

/** The header fields that name the agent and the operation of a call. */
export const agentFields = ["x-agent-subject", "x-agent-id", "x-agent-capability", "x-agent-mode"] as const;

/** The components covered by the signature, in this order and without parameters. */
export const components = ["@method", "@target-uri", "content-digest", ...agentFields] as const;

/** The value of each component. */
export type ComponentValues = Readonly<Record<(typeof components)[number], string>>;

const MAX_VALUE_LENGTH = 255;

/** Matches printable ASCII that neither begins nor ends with a space. */
const FIELD_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The required values of the parameters `alg` and `tag`. */
export const ALGORITHM = "hmac-sha256";
export const TAG = "agent-auth-proxy";

/** The key ids of the resort's first and second secret. */
export const keyIds = ["resort-1", "resort-2"] as const;

/** The maximum difference between `expires` and `created`. */
export const MAX_VALID_SECONDS = 60;
/** The maximum length of a nonce, in characters. */
export const MAX_NONCE_LENGTH = 128;

/**
 * Returns the key for the signatures of calls, 32 bytes.
 * @param secret one of the values of `--identity-secret`
 */
export function proxyKey(secret: string): Uint8Array {
	return deriveKey(secret, "agent-auth-proxy");
}

/**
 * Returns the signature of a call, 32 bytes: the HMAC-SHA-256 of its signature base (RFC 9421 sections 2.5 and
 * 3.3.3).
 * @param values the value of each component, without line breaks
 * @param signatureParams the inner list with its parameters, as it appears in `Signature-Input` after the
 * label
 */
export function signatureOf(key: Uint8Array, values: ComponentValues, signatureParams: string): Buffer {
	const lines = components.map((name) => `"${name}": ${values[name]}`);
	const base = [...lines, `"@signature-params": ${signatureParams}`].join("\n");
	return createHmac("sha256", key).update(base).digest();
}

/**
 * Whether a text is a valid value of an `X-Agent-*` field: 1 to 255 printable ASCII characters, no space at
 * either end.
 */
export function isAgentField(text: string): boolean {
	return text.length <= MAX_VALUE_LENGTH && FIELD_VALUE.test(text);
}

/** Returns the `Content-Digest` field of a body, with `sha-256` (RFC 9530 section 2). */
export function contentDigest(body: Uint8Array): string {
	return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

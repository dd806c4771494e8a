/**
 * Derives keys, each for one purpose: two from the secret shared with the identity provider, one from a
 * session's token.
 */
import { deriveKey } from "../../lib/sealed-text.ts";

/**
 * Returns the password for the introspection endpoint, in base64url without padding. The HTTP Basic user is
 * `resort`.
 * @param secret the first value of `--identity-secret`
 */
export function introspectionPassword(secret: string): string {
	return Buffer.from(deriveKey(secret, "introspection")).toString("base64url");
}

/**
 * Returns the key for the `hmac-sha256` signatures of calls, 32 bytes.
 * @param secret one of the values of `--identity-secret`
 */
export function proxyKey(secret: string): Uint8Array {
	return deriveKey(secret, "agent-auth-proxy");
}

/**
 * Returns the key that encrypts the central key (`ai_…`) in a session. It is derived from the session's token
 * and not from the token's SHA-256 hash, because the database contains the hash.
 */
export function sealingKey(token: string): Uint8Array {
	return deriveKey(token, "resort session key");
}

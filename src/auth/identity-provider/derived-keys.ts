/** Derives one key for each purpose from a secret. */
import { hkdfSync } from "node:crypto";

const DERIVED_BYTES = 32;

/**
 * Returns the password of the HTTP Basic user `resort` at the introspection endpoint, in base64url without padding.
 * @param secret the first of `--identity-secret`
 */
export function introspectionPassword(secret: string): string {
	return Buffer.from(derive(secret, "introspection")).toString("base64url");
}

/**
 * Returns the key of the `hmac-sha256` signatures of signed calls, 32 bytes.
 * @param secret one of `--identity-secret`
 */
export function proxyKey(secret: string): Uint8Array {
	return derive(secret, "agent-auth-proxy");
}

/** Returns the key of a session's sealed key: not SHA-256 of its token, which is in the database. */
export function sealingKey(token: string): Uint8Array {
	return derive(token, "resort session key");
}

/** HKDF-SHA-256 with an empty salt (RFC 5869). */
function derive(secret: string, info: string): Uint8Array {
	return new Uint8Array(hkdfSync("sha256", secret, "", info, DERIVED_BYTES));
}

/**
 * Signs calls of a resort's operations, for the agents of an identity provider (docs/identity-provider.md). Copy
 * this file into the provider: it needs nothing but `node:crypto`.
 */
import { createHash, createHmac, hkdfSync, randomUUID } from "node:crypto";

/** A call of an operation, made by the provider for one of its agents. */
export interface CapabilityCall {
	/** A value of the resort's `--identity-secret`. */
	readonly secret: string;
	/** `resort-1` (default) for the resort's first secret, `resort-2` for its second. */
	readonly keyId?: "resort-1" | "resort-2";
	readonly method: string;
	/** The public URL of the operation with its query, exactly as it is sent. */
	readonly url: string;
	/** The body, exactly as it is sent. Omit it if there is none. */
	readonly body?: string;
	/** The same value as `sub` in the introspection response for a central key of the agent. */
	readonly subject: string;
	readonly agentId: string;
	/** The `operationId` of the operation in the resort's OpenAPI document. */
	readonly capability: string;
	/** The agent's mode at the provider, for example `delegated` or `autonomous`. */
	readonly mode: string;
	/** The time of the signature, in milliseconds since the epoch; now by default. */
	readonly nowMs?: number;
	/** The lifetime of the signature in seconds, at most 60. */
	readonly validSeconds?: number;
	/** A value that no other call uses; a random UUID by default. */
	readonly nonce?: string;
}

/**
 * Returns the header fields of a signed call.
 * @throws TypeError if a value is empty or not printable ASCII: a line break would add a line to what is signed
 */
export function signCapabilityCall(call: CapabilityCall): Record<string, string> {
	const { keyId = "resort-1", nowMs = Date.now(), validSeconds = 60, nonce = randomUUID() } = call;
	const fields = {
		// RFC 9530
		"content-digest": `sha-256=:${createHash("sha256")
			.update(call.body ?? "")
			.digest("base64")}:`,
		"x-agent-subject": call.subject,
		"x-agent-id": call.agentId,
		"x-agent-capability": call.capability,
		"x-agent-mode": call.mode,
	};
	// RFC 9421, section 2.5
	const components = { "@method": call.method, "@target-uri": call.url, ...fields };
	for (const [name, value] of Object.entries({ ...components, nonce })) {
		if (!/^[\x20-\x7e]+$/.test(value)) throw new TypeError(`${name} is missing or not printable ASCII`);
	}
	const created = Math.floor(nowMs / 1_000);
	const names = Object.keys(components).map((name) => `"${name}"`);
	const params =
		`(${names.join(" ")});created=${created};expires=${created + validSeconds};nonce=${JSON.stringify(nonce)}` +
		`;keyid="${keyId}";alg="hmac-sha256";tag="agent-auth-proxy"`;
	const lines = Object.entries(components).map(([name, value]) => `"${name}": ${value}\n`);
	const base = `${lines.join("")}"@signature-params": ${params}`;
	const key = new Uint8Array(hkdfSync("sha256", call.secret, "", "agent-auth-proxy", 32));
	const signature = createHmac("sha256", key).update(base).digest("base64");
	return { ...fields, "signature-input": `sig1=${params}`, signature: `sig1=:${signature}:` };
}

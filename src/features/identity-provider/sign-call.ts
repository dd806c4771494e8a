/**
 * Signs calls of the resort's operations, as an identity provider does. A provider on Node can use this
 * module too: it needs only this folder, `src/core/lib/sealed-text.ts`, `structured-headers` and `node:crypto`.
 *
 * ```ts
 * const body = JSON.stringify({ roomPreference: "ocean" });
 * const url = "https://resort.example/api/checkin";
 * const capability = openapi.paths["/api/checkin"].post.operationId;
 * const signed = signCapabilityCall({ secret, method: "POST", url, body, subject: user.id,
 *   agentId: agent.id, capability, mode: "delegated" });
 * await fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...signed } });
 * ```
 */
import { randomUUID } from "node:crypto";
import { type Item, serializeInnerList } from "structured-headers";
import {
	ALGORITHM,
	type ComponentValues,
	components,
	contentDigest,
	isAgentField,
	type keyIds,
	MAX_NONCE_LENGTH,
	MAX_VALID_SECONDS,
	proxyKey,
	signatureOf,
	TAG,
} from "./signature-base.ts";

/** A call of an operation, made by the provider for one of its agents. */
export interface CapabilityCall {
	/** The secret shared by the provider and the resort: a value of `--identity-secret`. */
	readonly secret: string;
	/**
	 * The key id of this secret: `resort-1` (default) for the resort's first secret, `resort-2` for its second.
	 */
	readonly keyId?: (typeof keyIds)[number];
	/** The HTTP method in capitals. */
	readonly method: string;
	/** The public URL of the operation, including its query. */
	readonly url: string | URL;
	/** The bytes of the body; a string is encoded as UTF-8. Omit it for an empty body. */
	readonly body?: string | Uint8Array;
	/** The same value as `sub` in the introspection response for a central key of the agent. */
	readonly subject: string;
	readonly agentId: string;
	/** The `operationId` of the called operation in the resort's OpenAPI document. */
	readonly capability: string;
	/** The agent's mode at the provider, for example `delegated` or `autonomous`. */
	readonly mode: string;
	/** The time of the signature, in milliseconds since the epoch; now by default. */
	readonly nowMs?: number;
	/** The lifetime of the signature: 1 to 60 whole seconds; 60 by default. */
	readonly validSeconds?: number;
	/** A value that no other call uses: 1 to 128 printable ASCII characters; a random UUID by default. */
	readonly nonce?: string;
}

/**
 * Signs a call.
 * @returns the header fields to send, with lower-case names: `content-digest`, `signature-input`,
 * `signature`, `x-agent-subject`, `x-agent-id`, `x-agent-capability`, `x-agent-mode`
 * @throws TypeError if a value is empty, longer than 255 characters (a nonce: 128), not printable ASCII, or
 * begins or ends with a space; if the method is not in capitals; or if the URL is not http(s) or contains
 * credentials
 * @throws RangeError if `validSeconds` or `nowMs` is out of range
 */
export function signCapabilityCall(call: CapabilityCall): Record<string, string> {
	const agent = {
		"x-agent-subject": call.subject,
		"x-agent-id": call.agentId,
		"x-agent-capability": call.capability,
		"x-agent-mode": call.mode,
	};
	for (const [name, value] of Object.entries(agent)) {
		if (!isAgentField(value)) throw new TypeError(`${name} is missing or invalid`);
	}
	if (!/^[A-Z]+$/.test(call.method)) throw new TypeError("method is missing or invalid");
	const values: ComponentValues = {
		"@method": call.method,
		"@target-uri": targetUri(call.url),
		"content-digest": contentDigest(Buffer.from(call.body ?? "")),
		...agent,
	};
	const params = signatureParams(call);
	const signature = signatureOf(proxyKey(call.secret), values, params);
	return {
		"content-digest": values["content-digest"],
		"signature-input": `sig1=${params}`,
		signature: `sig1=:${signature.toString("base64")}:`,
		...agent,
	};
}

/**
 * Returns a URL as clients send it: normalised and without its fragment.
 * @throws TypeError if it is not http(s) or contains credentials
 */
function targetUri(address: string | URL): string {
	const url = new URL(address);
	url.hash = "";
	const hasCredentials = url.username !== "" || url.password !== "";
	if (!/^https?:$/.test(url.protocol) || hasCredentials) {
		throw new TypeError("url must be an http(s) URL without credentials");
	}
	return url.href;
}

function signatureParams(call: CapabilityCall): string {
	const { validSeconds = MAX_VALID_SECONDS, nonce = randomUUID() } = call;
	const created = Math.floor((call.nowMs ?? Date.now()) / 1_000);
	if (!Number.isSafeInteger(created) || created < 0) {
		throw new RangeError("nowMs must be milliseconds since 1970");
	}
	const isValid = Number.isInteger(validSeconds) && validSeconds >= 1;
	if (!isValid || validSeconds > MAX_VALID_SECONDS) {
		throw new RangeError("validSeconds must be a whole number from 1 to 60");
	}
	if (!/^[\x20-\x7e]+$/.test(nonce) || nonce.length > MAX_NONCE_LENGTH) {
		throw new TypeError("nonce is missing or invalid");
	}
	const covered = components.map((name): Item => [name, new Map()]);
	const parameters = new Map<string, string | number>([
		["created", created],
		["expires", created + validSeconds],
		["nonce", nonce],
		["keyid", call.keyId ?? "resort-1"],
		["alg", ALGORITHM],
		["tag", TAG],
	]);
	return serializeInnerList([covered, parameters]);
}

/** Valid and invalid signed calls for tests. */

import { createHmac } from "node:crypto";
import { type CapabilityCall, signCapabilityCall } from "../../../examples/sign-call.ts";
import type { SignedRequest } from "../../../src/core/calls/call.ts";
import { sha256 } from "../../../src/core/lib/credential.ts";
import { once } from "../../../src/core/lib/once.ts";
import { deriveKey } from "../../../src/core/lib/sealed-text.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { CallVerifier } from "../../../src/features/identity-provider/call-verifier.ts";

export const SECRETS = [
	"the-first-secret-of-the-resort-0123456789",
	"the-second-secret-of-the-resort-0123456789",
] as const;
/** A time in whole seconds, because `created` is a number of seconds. */
export const NOW_MS = Date.UTC(2026, 2, 10, 12);
export const NOW = NOW_MS / 1_000;
export const BODY = '{"roomPreference":"ocean"}';

export const call: CapabilityCall = {
	secret: SECRETS[0],
	method: "POST",
	url: "https://resort.example/base/api/checkin?dry=1&x=%20",
	body: BODY,
	subject: "user-1",
	agentId: "agent-1",
	capability: "checkIn",
	mode: "delegated",
	nowMs: NOW_MS,
	nonce: "nonce-1",
};

/** Returns the `Content-Digest` field of a body. */
export function digestOf(body: string): string {
	return `sha-256=:${sha256(body).toBase64()}:`;
}

/** Returns the signature key that is derived from a secret. */
export function keyFrom(secret: string): Uint8Array {
	return deriveKey(secret, "agent-auth-proxy");
}

/** Signs a call for the subject in {@link call}, with the current time and a new nonce. */
export function sign(own: Pick<CapabilityCall, "method" | "url" | "capability"> & Partial<CapabilityCall>) {
	const { secret, subject, agentId, mode } = call;
	return signCapabilityCall({ secret, subject, agentId, mode, ...own });
}

const memory = once(() => openStore(":memory:"));

/**
 * Creates a verifier, and empties the table of nonces. All verifiers share this table, so use only the newest
 * verifier.
 */
export function verifier() {
	const store = memory();
	store.sqlite.run("DELETE FROM nonces");
	const one = new CallVerifier(SECRETS);
	return { verify: (request: SignedRequest, nowMs: number) => one.verify(request, store, nowMs) };
}

/** Creates the request of a call with the given header fields. */
function requestOf(
	{ method, url, body = "", capability }: CapabilityCall,
	headers: Record<string, string>,
): SignedRequest {
	return {
		method,
		targetUri: url,
		headers: new Headers(headers),
		bodySha256: sha256(body),
		operationId: capability,
	};
}

/** Creates the request of {@link call} with changes, signed by examples/sign-call.ts. */
export function signed(changes: Partial<CapabilityCall> = {}): SignedRequest {
	const changed = { ...call, ...changes };
	return requestOf(changed, signCapabilityCall(changed));
}

/** The parts of a request and its signature, in the form in which they are sent. */
export interface Pieces {
	readonly label: string;
	readonly signatureLabel: string;
	readonly components: readonly string[];
	/** The components in the signature base; by default {@link components}. */
	readonly lines?: readonly string[];
	readonly parameters: readonly string[];
	readonly key: Uint8Array;
	readonly headers: Record<string, string>;
	readonly request: Partial<SignedRequest>;
}

export const pieces: Pieces = {
	label: "sig1",
	signatureLabel: "sig1",
	components: [
		'"@method"',
		'"@target-uri"',
		'"content-digest"',
		'"x-agent-subject"',
		'"x-agent-id"',
		'"x-agent-capability"',
		'"x-agent-mode"',
	],
	parameters: [
		`created=${NOW}`,
		`expires=${NOW + 60}`,
		'nonce="nonce-1"',
		'keyid="resort-1"',
		'alg="hmac-sha256"',
		'tag="agent-auth-proxy"',
	],
	key: keyFrom(SECRETS[0]),
	headers: {
		"content-digest": digestOf(BODY),
		"x-agent-subject": "user-1",
		"x-agent-id": "agent-1",
		"x-agent-capability": "checkIn",
		"x-agent-mode": "delegated",
	},
	request: {},
};

/** Creates a request with a correct signature for the given parts, even if they make a verifier refuse the request. */
export function handSigned(changes: Partial<Pieces> = {}): SignedRequest {
	const all = { ...pieces, ...changes };
	const { label, signatureLabel, components, parameters, key } = all;
	const request = { ...requestOf(call, all.headers), ...all.request };
	const params = `(${components.join(" ")})${parameters.map((one) => `;${one}`).join("")}`;
	const fields = Object.fromEntries(request.headers);
	const lines = (all.lines ?? components).map((component) => {
		const [name = ""] = component.replaceAll('"', "").split(";");
		const value =
			name === "@method" ? request.method : name === "@target-uri" ? request.targetUri : (fields[name] ?? "");
		return `${component}: ${value}\n`;
	});
	const base = `${lines.join("")}"@signature-params": ${params}`;
	const signature = createHmac("sha256", key).update(base).digest("base64");
	request.headers.set("signature-input", `${label}=${params}`);
	request.headers.set("signature", `${signatureLabel}=:${signature}:`);
	return request;
}

/** Returns all signature parameters, but replaces the one called `name`, or omits it if there is no `text`. */
export function withParameter(name: string, text?: string): string[] {
	return pieces.parameters.flatMap((one) => (one.startsWith(`${name}=`) ? (text ?? []) : one));
}

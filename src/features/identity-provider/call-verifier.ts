import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignedRequest } from "../../core/calls/call.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { recordOf } from "../../core/lib/record.ts";
import { deriveKey } from "../../core/lib/sealed-text.ts";
import type { Store } from "../../core/store/store.ts";
import { Nonces } from "./nonces.ts";
import {
	agentFields,
	components,
	digestMatches,
	readSignature,
	type SignatureParameters,
} from "./signature-input.ts";

/** The maximum difference between `expires` and `created`. */
const MAX_VALID_SECONDS = 60;

/** The tolerated difference between the clocks of the provider and of this machine, in both directions. */
const SKEW_MS = 30 * SECOND_MS;

/** Matches a method or URL without a line break, which would add a line to the signature base. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Matches a valid value of an `X-Agent-*` field. */
const AGENT_FIELD = /^[\x20-\x7e]{1,255}$/;

/** The value of each component. */
type ComponentValues = Readonly<Record<(typeof components)[number], string>>;

/**
 * Verifies signed calls: RFC 9421 signatures of type `hmac-sha256`, with an RFC 9530 digest of the body.
 * Nonces are stored in the database, so a signature can be used only once, even after a restart.
 */
export class CallVerifier {
	/** The verification keys, by key id: `resort-1` and `resort-2`. */
	readonly #keys: ReadonlyMap<string, Uint8Array>;
	readonly #nonces = new Nonces();

	/** @param secrets one or two secrets */
	constructor(secrets: readonly string[]) {
		this.#keys = new Map(
			secrets.map((secret, at) => [`resort-${at + 1}`, deriveKey(secret, "agent-auth-proxy")]),
		);
	}

	/**
	 * Verifies a call. The nonce is stored last, after all other checks, so that only holders of a verification
	 * key can add rows to the table of nonces.
	 * @returns the agent's subject, which is the same as in introspection responses; null if any check fails
	 * @throws ResortError `unavailable` if the database fails
	 */
	async verify(request: SignedRequest, store: Store, nowMs: number): Promise<string | null> {
		const signature = readSignature(request.headers);
		if (signature === null) return null;
		const { parameters, text, bytes } = signature;
		const key = this.#keys.get(parameters.keyid);
		if (key === undefined || !isInTime(parameters, nowMs)) return null;
		const values = readComponents(request);
		if (values === null) return null;
		if (!timingSafeEqual(bytes, sign(key, values, text))) return null;
		const { nonce, expires } = parameters;
		const untilMs = expires * SECOND_MS + SKEW_MS;
		const isFirstUse = await store.write(() => this.#nonces.use(store, nonce, untilMs, nowMs));
		return isFirstUse ? values["x-agent-subject"] : null;
	}
}

function isInTime({ created, expires }: SignatureParameters, nowMs: number): boolean {
	return (
		expires > created &&
		expires - created <= MAX_VALID_SECONDS &&
		created * SECOND_MS <= nowMs + SKEW_MS &&
		expires * SECOND_MS >= nowMs - SKEW_MS
	);
}

/** Returns the signed components of a request; null if one is missing or invalid. */
function readComponents(request: SignedRequest): ComponentValues | null {
	const { method, targetUri, headers, bodySha256, operationId } = request;
	const field = (name: string) => headers.get(name) ?? "";
	const values: ComponentValues = {
		"@method": method,
		"@target-uri": targetUri,
		"content-digest": field("content-digest"),
		...recordOf(agentFields, field),
	};
	const isValid =
		VISIBLE_ASCII.test(method) &&
		VISIBLE_ASCII.test(targetUri) &&
		agentFields.every((name) => AGENT_FIELD.test(values[name])) &&
		values["x-agent-capability"] === operationId &&
		bodySha256 !== null &&
		digestMatches(values["content-digest"], bodySha256);
	return isValid ? values : null;
}

/**
 * Returns the signature of a call, 32 bytes (RFC 9421 sections 2.5 and 3.3.3).
 * @param params the inner list with its parameters, as it appears in `Signature-Input` after the label
 */
function sign(key: Uint8Array, values: ComponentValues, params: string): Buffer {
	const lines = components.map((name) => `"${name}": ${values[name]}\n`);
	return createHmac("sha256", key)
		.update(`${lines.join("")}"@signature-params": ${params}`)
		.digest();
}

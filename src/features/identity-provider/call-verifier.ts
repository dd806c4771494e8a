import { timingSafeEqual } from "node:crypto";
import type { SignedRequest } from "../../core/calls/credential-checks.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { recordOf } from "../../core/lib/record.ts";
import type { Store } from "../../core/store/store.ts";
import { Nonces } from "./nonces.ts";
import {
	agentFields,
	type ComponentValues,
	isAgentField,
	keyIds,
	MAX_VALID_SECONDS,
	proxyKey,
	signatureOf,
} from "./signature-base.ts";
import { digestMatches, readSignature, type SignatureParameters } from "./signature-input.ts";

/** The tolerated difference between the clocks of the provider and of this machine, in both directions. */
const SKEW_MS = 30 * SECOND_MS;

/**
 * Matches a method or URL that can be signed. Such a text contains no line break, which would add a line to
 * the signature base.
 */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Verifies signed calls: RFC 9421 signatures of type `hmac-sha256`, with an RFC 9530 digest of the body.
 * Nonces are stored in the database, so a signature can be used only once, even after a restart.
 */
export class CallVerifier {
	/** The verification keys, by key id. */
	readonly #keys: ReadonlyMap<string, Uint8Array>;
	readonly #nonces = new Nonces();

	/** @param options.secrets one or two secrets, for the key ids `resort-1` and `resort-2` */
	constructor({ secrets }: { readonly secrets: readonly string[] }) {
		this.#keys = new Map(
			keyIds.flatMap((keyId, at) => {
				const secret = secrets[at];
				return secret === undefined ? [] : [[keyId, proxyKey(secret)]];
			}),
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
		if (!timingSafeEqual(bytes, signatureOf(key, values, text))) return null;
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
		agentFields.every((name) => isAgentField(values[name])) &&
		values["x-agent-capability"] === operationId &&
		bodySha256 !== null &&
		digestMatches(values["content-digest"], bodySha256);
	return isValid ? values : null;
}

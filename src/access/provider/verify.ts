import { timingSafeEqual } from "node:crypto";
import { SECOND_MS } from "../../lib/clock.ts";
import { digestMatches } from "./digest.ts";
import { isAgentField } from "./fields.ts";
import { proxyKey } from "./keys.ts";
import { NonceMemory } from "./nonces.ts";
import { readSignature, type SignatureParameters } from "./signature.ts";
import {
	type ComponentValues,
	keyIds,
	MAX_VALID_SECONDS,
	signatureOf,
} from "./signature-base.ts";

/** How far the provider's clock may be off, either way. */
const SKEW_MS = 30 * SECOND_MS;
/** A nonce lives 120 s at most: room for 4,000 calls a second, in some 80 MB when full. */
const MAX_NONCES = 500_000;

/** What a method and a URL are made of; a line break would add a line to the signature base. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** A request as it reached the resort. */
export interface SignedRequest {
	/** As it was sent. */
	readonly method: string;
	/** Rebuilt from the base URL, never from `Host`; compared byte for byte. Empty when there is none. */
	readonly targetUri: string;
	readonly headers: Headers;
	/** SHA-256 of the raw body; null when the body could not be read. */
	readonly bodySha256: Uint8Array | null;
	/** The `operationId` of the matched route. */
	readonly operationId: string;
}

/** Who calls, as the provider says. */
export interface VerifiedCall {
	/** The same identity as the `sub` of a central key. */
	readonly subject: string;
	readonly agentId: string;
	readonly mode: string;
}

/**
 * Verifies proxied capability calls (decisions 7.3 and 8): RFC 9421 signatures `hmac-sha256` with an RFC 9530
 * digest of the body. One verifier serves a process; it remembers the nonces that were used.
 */
export class CallVerifier {
	/** By key id. */
	readonly #keys: ReadonlyMap<string, Uint8Array>;
	readonly #startedMs: number;
	readonly #nonces = new NonceMemory(MAX_NONCES);

	/**
	 * @param options.secrets one or two; they verify the key ids `resort-1` and `resort-2`
	 * @param options.startedMs a whole second; no signature created before it counts, because its nonce may have
	 * been used in a former process
	 */
	constructor(options: {
		readonly secrets: readonly string[];
		readonly startedMs: number;
	}) {
		const { secrets, startedMs } = options;
		this.#keys = new Map(
			keyIds.flatMap((keyId, at) => {
				const secret = secrets[at];
				return secret === undefined ? [] : [[keyId, proxyKey(secret)]];
			}),
		);
		this.#startedMs = startedMs;
	}

	/**
	 * Judges a call. Its nonce is used up by success alone, so that a stranger uses up none.
	 * @returns who calls; null for everything that is not exactly right
	 */
	verify(request: SignedRequest, nowMs: number): VerifiedCall | null {
		const signature = readSignature(request.headers);
		if (signature === null) return null;
		const { parameters, text, bytes } = signature;
		const key = this.#keys.get(parameters.keyid);
		if (key === undefined || !this.#isInTime(parameters, nowMs)) return null;
		const values = readComponents(request);
		if (values === null) return null;
		if (!timingSafeEqual(bytes, signatureOf(key, values, text))) return null;
		const untilMs = parameters.expires * SECOND_MS + SKEW_MS;
		if (!this.#nonces.use(parameters.nonce, untilMs, nowMs)) return null;
		return {
			subject: values["x-agent-subject"],
			agentId: values["x-agent-id"],
			mode: values["x-agent-mode"],
		};
	}

	#isInTime(parameters: SignatureParameters, nowMs: number): boolean {
		const { created, expires } = parameters;
		const createdMs = created * SECOND_MS;
		return (
			expires > created &&
			expires - created <= MAX_VALID_SECONDS &&
			createdMs >= this.#startedMs &&
			createdMs <= nowMs + SKEW_MS &&
			expires * SECOND_MS >= nowMs - SKEW_MS
		);
	}
}

/** The components of a request; null when one is missing or wrong. */
function readComponents(request: SignedRequest): ComponentValues | null {
	const { method, targetUri, headers, bodySha256, operationId } = request;
	const digest = headers.get("content-digest") ?? "";
	const values: ComponentValues = {
		"@method": method,
		"@target-uri": targetUri,
		"content-digest": digest,
		"x-agent-subject": headers.get("x-agent-subject") ?? "",
		"x-agent-id": headers.get("x-agent-id") ?? "",
		"x-agent-capability": headers.get("x-agent-capability") ?? "",
		"x-agent-mode": headers.get("x-agent-mode") ?? "",
	};
	const isSound =
		VISIBLE_ASCII.test(method) &&
		VISIBLE_ASCII.test(targetUri) &&
		isAgentField(values["x-agent-subject"]) &&
		isAgentField(values["x-agent-id"]) &&
		isAgentField(values["x-agent-capability"]) &&
		isAgentField(values["x-agent-mode"]) &&
		values["x-agent-capability"] === operationId;
	if (!isSound || bodySha256 === null) return null;
	return digestMatches(digest, bodySha256) ? values : null;
}

import { timingSafeEqual } from "node:crypto";
import { SECOND_MS } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { digestMatches } from "./digest.ts";
import { isAgentField } from "./fields.ts";
import { proxyKey } from "./keys.ts";
import { Nonces } from "./nonces.ts";
import { readSignature, type SignatureParameters } from "./signature.ts";
import {
	type ComponentValues,
	keyIds,
	MAX_VALID_SECONDS,
	signatureOf,
} from "./signature-base.ts";

/** How far the provider's clock may differ, either way. */
const SKEW_MS = 30 * SECOND_MS;

/** Methods and URLs hold nothing else; a line break would add a line to the signature base. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** A request as the resort received it. */
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
 * Verifies signed calls: RFC 9421 signatures `hmac-sha256` with an RFC 9530 digest of the body. The nonce of each is
 * used up in the database, so that a signature counts once, also after a restart.
 */
export class CallVerifier {
	/** By key id. */
	readonly #keys: ReadonlyMap<string, Uint8Array>;
	readonly #nonces = new Nonces();

	/** @param options.secrets one or two; they verify the key ids `resort-1` and `resort-2` */
	constructor({ secrets }: { readonly secrets: readonly string[] }) {
		this.#keys = new Map(
			keyIds.flatMap((keyId, at) => {
				const secret = secrets[at];
				return secret === undefined ? [] : [[keyId, proxyKey(secret)]];
			}),
		);
	}

	/**
	 * Judges a call. Only a call that is good in everything else uses its nonce up, so that a stranger uses up none.
	 * @param store where used nonces are kept
	 * @returns who calls, once the use of the nonce is committed; null for everything that is not exactly right
	 * @throws ResortError `unavailable` when the storage fails
	 */
	async verify(
		request: SignedRequest,
		store: Store,
		nowMs: number,
	): Promise<VerifiedCall | null> {
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
		const isFirstUse = await store.write(() =>
			this.#nonces.use(store, nonce, untilMs, nowMs),
		);
		if (!isFirstUse) return null;
		return {
			subject: values["x-agent-subject"],
			agentId: values["x-agent-id"],
			mode: values["x-agent-mode"],
		};
	}
}

function isInTime(
	{ created, expires }: SignatureParameters,
	nowMs: number,
): boolean {
	return (
		expires > created &&
		expires - created <= MAX_VALID_SECONDS &&
		created * SECOND_MS <= nowMs + SKEW_MS &&
		expires * SECOND_MS >= nowMs - SKEW_MS
	);
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

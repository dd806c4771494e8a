import { createHmac, timingSafeEqual } from "node:crypto";
import {
	type Dictionary,
	type InnerList,
	type Item,
	isInnerList,
	type Parameters,
	parseDictionary,
	serializeDictionary,
	serializeInnerList,
} from "structured-headers";
import type { SignedRequest } from "../../core/calls/call.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { recordOf } from "../../core/lib/record.ts";
import { deriveKey } from "../../core/lib/sealed-text.ts";
import type { Store } from "../../core/store/store.ts";
import { Nonces } from "./nonces.ts";

/** The maximum difference between `expires` and `created`. */
const MAX_VALID_SECONDS = 60;

/** The tolerated difference between the clocks of the provider and of this machine, in both directions. */
const SKEW_MS = 30 * SECOND_MS;

/** Matches a method or URL of visible ASCII. A line break would add a line to the signature base. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

const AGENT_FIELD = /^[\x20-\x7e]{1,255}$/;

/**
 * Verifies signed calls: RFC 9421 signatures of type `hmac-sha256`, with an RFC 9530 digest of the body.
 * Nonces are stored, so a signature can be used only once, even after a restart.
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
	 * Verifies a call. The nonce is stored last, so that only holders of a verification key can add rows.
	 * @returns the agent's subject, as in introspection responses; null if any check fails
	 * @throws ResortError `unavailable` if the database fails
	 */
	async verify(request: SignedRequest, store: Store, nowMs: number): Promise<string | null> {
		const signature = readSignature(request.headers);
		const values = readComponents(request);
		if (signature === null || values === null) return null;
		const { created, expires, nonce, keyid, text, bytes } = signature;
		const key = this.#keys.get(keyid);
		if (key === undefined || !isInTime(created, expires, nowMs)) return null;
		if (!timingSafeEqual(bytes, sign(key, values, text))) return null;
		const untilMs = expires * SECOND_MS + SKEW_MS;
		const isFirstUse = await store.write(() => this.#nonces.use(store, nonce, untilMs, nowMs));
		return isFirstUse ? values["x-agent-subject"] : null;
	}
}

/** Whether a signature is valid now. `created` and `expires` are its parameters, in seconds. */
function isInTime(created: number, expires: number, nowMs: number): boolean {
	return (
		expires > created &&
		expires - created <= MAX_VALID_SECONDS &&
		created * SECOND_MS <= nowMs + SKEW_MS &&
		expires * SECOND_MS >= nowMs - SKEW_MS
	);
}

/** Returns the signed components of a request; null if one is missing or invalid. */
function readComponents({ method, targetUri, headers, bodySha256, operationId }: SignedRequest) {
	const field = (name: string) => headers.get(name) ?? "";
	const values = {
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
 * @param params the inner list with its parameters, as in `Signature-Input` after the label
 */
function sign(
	key: Uint8Array,
	values: Readonly<Record<(typeof components)[number], string>>,
	params: string,
): Buffer {
	const lines = components.map((name) => `"${name}": ${values[name]}\n`);
	return createHmac("sha256", key)
		.update(`${lines.join("")}"@signature-params": ${params}`)
		.digest();
}

/** The header fields that name the agent and the operation of a call. */
const agentFields = ["x-agent-subject", "x-agent-id", "x-agent-capability", "x-agent-mode"] as const;

/** The components covered by the signature, in this order and without parameters. */
const components = ["@method", "@target-uri", "content-digest", ...agentFields] as const;

/** The required values of the parameters `alg` and `tag`. */
const ALGORITHM = "hmac-sha256";
const TAG = "agent-auth-proxy";
const PARAMETERS = 6;

const MAX_NONCE_LENGTH = 128;

/** The maximum length of a parsed header field, enough for the longest nonce with escapes. */
const MAX_DICTIONARY_LENGTH = 1_024;
const SIGNATURE_BYTES = 32;

/** The required components as they are sent: in order and without parameters. */
const COVERED = serializeInnerList([components.map((name): Item => [name, new Map()]), new Map()]);

/**
 * Returns the `bytes` of the signature in a request, its parameters except `alg` and `tag`, and `text`: the
 * inner list with all parameters, as it was sent. Returns null unless there is exactly one signature, which
 * covers all {@link components} and has exactly the parameters `created`, `expires`, `nonce`, `keyid`, `alg`
 * and `tag`.
 */
function readSignature(headers: Headers) {
	const [described, ...moreDescribed] = readDictionary(headers.get("signature-input"));
	const [signed, ...moreSigned] = readDictionary(headers.get("signature"));
	if (described === undefined || signed === undefined) return null;
	if (moreDescribed.length + moreSigned.length > 0 || described[0] !== signed[0]) return null;
	const [, list] = described;
	if (!isInnerList(list) || serializeInnerList([list[0], new Map()]) !== COVERED) return null;
	const parameters = readParameters(list[1]);
	const bytes = bytesOf(signed[1]);
	if (parameters === null || bytes?.length !== SIGNATURE_BYTES) return null;
	return { ...parameters, text: serializeInnerList(list), bytes };
}

/** Whether a `Content-Digest` contains the SHA-256 digest of a body. Ignores other digests (RFC 9530, 2). */
function digestMatches(header: string, sha256OfBody: Uint8Array): boolean {
	const digest = bytesOf(readDictionary(header).get("sha-256"));
	return digest?.length === sha256OfBody.length && timingSafeEqual(digest, sha256OfBody);
}

/**
 * Parses a dictionary (RFC 9651 section 3.2). Accepts only its canonical form, because two parsers might
 * interpret other forms differently. Examples are repeated keys (also from joining several fields), optional
 * white space, `007` and unpadded base64.
 * @returns an empty dictionary if the field is missing or invalid
 */
function readDictionary(header: string | null): Dictionary {
	if (header !== null && header.length <= MAX_DICTIONARY_LENGTH) {
		try {
			const dictionary = parseDictionary(header);
			if (serializeDictionary(dictionary) === header) return dictionary;
		} catch {}
	}
	return new Map();
}

/** Returns the byte sequence of an item without parameters; null for any other member. */
function bytesOf([value, parameters]: InnerList | Item | [] = []) {
	return value instanceof ArrayBuffer && parameters?.size === 0 ? new Uint8Array(value) : null;
}

/**
 * Returns the parameters of a signature (RFC 9421 section 2.3) except `alg` and `tag`, with times in seconds.
 * Returns null unless there are exactly the required parameters, all of them with valid values.
 */
function readParameters(parameters: Parameters) {
	const { created, expires, nonce, keyid, alg, tag } = Object.fromEntries(parameters);
	const isKnown = parameters.size === PARAMETERS && alg === ALGORITHM && tag === TAG;
	if (!isKnown || !Number.isInteger(created) || !Number.isInteger(expires)) return null;
	if (typeof nonce !== "string" || typeof keyid !== "string") return null;
	if (nonce === "" || nonce.length > MAX_NONCE_LENGTH) return null;
	return { created: Number(created), expires: Number(expires), nonce, keyid };
}

/** Reads the signature of a signed call from its header fields (RFC 9421 section 4). */
import type { InnerList, Item, Parameters } from "structured-headers";
import { readDictionary } from "./fields.ts";
import {
	ALGORITHM,
	components,
	MAX_NONCE_LENGTH,
	TAG,
} from "./signature-base.ts";

const PARAMETERS = 6;
const SIGNATURE_BYTES = 32;

/** The parameters of a signature (RFC 9421 section 2.3), all of them required; times in whole seconds. */
export interface SignatureParameters {
	readonly created: number;
	readonly expires: number;
	readonly nonce: string;
	readonly keyid: string;
}

/** A signature as it stands in the header fields. */
export interface Signature {
	readonly parameters: SignatureParameters;
	/** The inner list with its parameters, as it was written. */
	readonly text: string;
	readonly bytes: Uint8Array;
}

/** The one signature of a request; null when there is none, more than one, or one of another kind. */
export function readSignature(headers: Headers): Signature | null {
	const input = headers.get("signature-input");
	const [described, ...moreDescribed] = readDictionary(input) ?? [];
	const [signed, ...moreSigned] =
		readDictionary(headers.get("signature")) ?? [];
	if (input === null || described === undefined || signed === undefined) {
		return null;
	}
	const [label, list] = described;
	const [signedLabel, [bytes, bytesParameters]] = signed;
	const parameters = coversAll(list) ? readParameters(list[1]) : null;
	const isOne = moreDescribed.length === 0 && moreSigned.length === 0;
	const isSignature =
		bytes instanceof ArrayBuffer &&
		bytes.byteLength === SIGNATURE_BYTES &&
		bytesParameters.size === 0;
	if (!isOne || label !== signedLabel || !isSignature || parameters === null) {
		return null;
	}
	const text = input.slice(`${label}=`.length);
	return { parameters, text, bytes: new Uint8Array(bytes) };
}

/** Whether a member of `Signature-Input` lists exactly the components, in order and without parameters. */
function coversAll([list]: InnerList | Item): boolean {
	return (
		Array.isArray(list) &&
		list.length === components.length &&
		components.every((name, at) => {
			const [component, parameters] = list[at] ?? [];
			return component === name && parameters?.size === 0;
		})
	);
}

/** The parameters when they are all there, no other, and each of its type and value. */
function readParameters(parameters: Parameters): SignatureParameters | null {
	const created = parameters.get("created");
	const expires = parameters.get("expires");
	const nonce = parameters.get("nonce");
	const keyid = parameters.get("keyid");
	const isKnown =
		parameters.size === PARAMETERS &&
		parameters.get("alg") === ALGORITHM &&
		parameters.get("tag") === TAG;
	if (!isKnown || !isWhole(created) || !isWhole(expires)) return null;
	if (typeof nonce !== "string" || typeof keyid !== "string") return null;
	if (nonce === "" || nonce.length > MAX_NONCE_LENGTH) return null;
	return { created, expires, nonce, keyid };
}

function isWhole(value: unknown): value is number {
	return Number.isInteger(value);
}

/** Reads the signature of a signed call from its header fields (RFC 9421 section 4). */
import type { InnerList, Item, Parameters } from "structured-headers";
import {
	ALGORITHM,
	components,
	MAX_NONCE_LENGTH,
	TAG,
} from "./signature-base.ts";
import { readDictionary } from "./signature-fields.ts";

const PARAMETERS = 6;
const SIGNATURE_BYTES = 32;

/** The parameters of a signature (RFC 9421 section 2.3), all of them required; times in whole seconds. */
export interface SignatureParameters {
	readonly created: number;
	readonly expires: number;
	readonly nonce: string;
	readonly keyid: string;
}

/** A signature of the header fields. */
export interface Signature {
	readonly parameters: SignatureParameters;
	/** The inner list with its parameters, as sent. */
	readonly text: string;
	readonly bytes: Uint8Array;
}

/** Returns the only signature of a request; null if there is none, more than one, or one with other parameters. */
export function readSignature(headers: Headers): Signature | null {
	const input = headers.get("signature-input");
	const inputs = [...(readDictionary(input) ?? [])];
	const signatures = [...(readDictionary(headers.get("signature")) ?? [])];
	const [described] = inputs;
	const [signed] = signatures;
	if (input === null || described === undefined || signed === undefined) {
		return null;
	}
	const [label, list] = described;
	const [signedLabel, [bytes, bytesParameters]] = signed;
	const parameters = coversAll(list) ? readParameters(list[1]) : null;
	const isOne = inputs.length === 1 && signatures.length === 1;
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

/** Returns the parameters if all are present, no others, and each has its type and value. */
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

/** Random changes of a good call: a verifier never throws, and never accepts a call that is not the signed one. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SignedRequest } from "../../../src/auth/identity-provider/call-verifier.ts";
import { sha256 } from "../../../src/lib/credential.ts";
import { BODY, caller, NOW_MS, signed, verifier } from "./calls.ts";

const names = [...signed().headers.keys()];
const character = fc.oneof(
	fc.integer({ min: 0x20, max: 0x7e }),
	fc.integer({ min: 0x80, max: 0xff }),
	fc.constant(0x09),
	fc.constantFrom(...'",;:=()\\?@ %*').map((one) => one.charCodeAt(0)),
);
const text = fc
	.array(character, { maxLength: 12 })
	.map((codes) => String.fromCharCode(...codes));

/** A piece of the text cut out and another put in its place. */
const cut = fc.record({
	at: fc.double({ min: 0, max: 1, noNaN: true }),
	length: fc.integer({ min: 0, max: 3 }),
	text,
});
type Cut = { at: number; length: number; text: string };

function apply(value: string, { at, length, text }: Cut): string {
	const from = Math.floor(at * value.length);
	return value.slice(0, from) + text + value.slice(from + length);
}

const change = fc.record({
	cut,
	where: fc.constantFrom(
		...names,
		...["signature-input", "signature", "method", "targetUri"],
		...["body", "operationId"],
	),
	how: fc.constantFrom("cut", "cut", "cut", "append", "delete", "swap"),
	other: fc.constantFrom(...names),
});

function mutate(
	request: SignedRequest,
	{
		cut,
		where,
		how,
		other,
	}: typeof change extends fc.Arbitrary<infer T> ? T : never,
): SignedRequest {
	const { headers } = request;
	if (where === "method") {
		return { ...request, method: apply(request.method, cut) };
	}
	if (where === "targetUri") {
		return { ...request, targetUri: apply(request.targetUri, cut) };
	}
	if (where === "body") {
		return { ...request, bodySha256: sha256(apply(BODY, cut)) };
	}
	if (where === "operationId") {
		return { ...request, operationId: apply(request.operationId, cut) };
	}
	const value = headers.get(where) ?? "";
	if (how === "cut") headers.set(where, apply(value, cut));
	else if (how === "append") headers.append(where, cut.text);
	else if (how === "delete") headers.delete(where);
	else {
		headers.set(where, headers.get(other) ?? "");
		headers.set(other, value);
	}
	return request;
}

/** All of a request that a verifier sees, but the label of its signature, which is free when both fields bear it. */
function seen({ headers, bodySha256, ...rest }: SignedRequest) {
	const fields = new Map(headers);
	const [input, signature] = ["signature-input", "signature"].map((name) =>
		/^([a-z*][a-z0-9_.*-]*)(=.*)$/.exec(fields.get(name) ?? ""),
	);
	if (input?.[2] && signature?.[2] && input[1] === signature[1]) {
		fields.set("signature-input", input[2]);
		fields.set("signature", signature[2]);
	}
	return JSON.stringify([rest, bodySha256?.toHex(), [...fields]]);
}

test("over 2,000 randomly changed calls", async () => {
	const good = seen(signed());
	let refused = 0;
	let unchanged = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(change, { minLength: 1, maxLength: 3 }),
			async (changes) => {
				const request = changes.reduce(mutate, signed());
				const one = verifier();
				const verified = await one.verify(request, NOW_MS);
				if (seen(request) === good) {
					unchanged++;
					expect(verified).toEqual(caller);
				} else {
					refused++;
					expect(verified).toBeNull();
					expect(await one.verify(signed(), NOW_MS)).toEqual(caller);
				}
			},
		),
		{ numRuns: 2_000 },
	);
	expect(refused).toBeGreaterThan(1_800);
	expect(refused + unchanged).toBe(2_000);
}, 60_000);

import { describe, expect, test } from "bun:test";
import { type CapabilityCall, signCapabilityCall } from "../../../examples/sign-call.ts";
import type { SignedRequest } from "../../../src/core/calls/call.ts";
import { sha256 } from "../../../src/core/lib/credential.ts";
import {
	BODY,
	call,
	digestOf,
	handSigned,
	keyFrom,
	NOW,
	NOW_MS,
	type Pieces,
	pieces,
	SECRETS,
	signed,
	verifier,
	withParameter,
} from "./calls.ts";

/** Creates a signed request, then replaces a header field, or removes it if `value` is null. */
function withHeader(name: string, value: string | null): SignedRequest {
	const request = signed();
	if (value === null) request.headers.delete(name);
	else request.headers.set(name, value);
	return request;
}

const signature = signed().headers.get("signature") ?? "";

async function expectAccepted(request: SignedRequest, nowMs = NOW_MS): Promise<void> {
	expect(await verifier().verify(request, nowMs)).toBe("user-1");
}

/** Expects that a request is refused, and that its nonce can still be used. */
async function expectRefused(request: SignedRequest, nowMs = NOW_MS): Promise<void> {
	const one = verifier();
	expect(await one.verify(request, nowMs)).toBeNull();
	expect(await one.verify(signed(), NOW_MS)).toBe("user-1");
}

describe("examples/sign-call.ts", () => {
	test("creates the header fields of a signed call", () => {
		// The signature was computed with `openssl kdf … HKDF` and `openssl dgst -mac HMAC`.
		expect(signCapabilityCall(call)).toEqual({
			"content-digest": "sha-256=:7PPVKbcgnTz/FYmzYW74A/wzs4PYK82wKFjppXyv0cA=:",
			"signature-input": `sig1=("@method" "@target-uri" "content-digest" "x-agent-subject" "x-agent-id" "x-agent-capability" "x-agent-mode");created=${NOW};expires=${NOW + 60};nonce="nonce-1";keyid="resort-1";alg="hmac-sha256";tag="agent-auth-proxy"`,
			signature: "sig1=:A+Pzq5KasyEQrW6uGoMZmPLVjSrqJoODfmxPkpUqOoY=:",
			"x-agent-subject": "user-1",
			"x-agent-id": "agent-1",
			"x-agent-capability": "checkIn",
			"x-agent-mode": "delegated",
		});
	});

	test.each<keyof CapabilityCall>(["method", "url", "subject", "agentId", "capability", "mode", "nonce"])(
		"refuses to sign if the value of `%s` could change the signature base",
		(name) => {
			for (const value of ["", "a\nb", "é", "\u007f"]) {
				expect(() => signCapabilityCall({ ...call, [name]: value })).toThrow(TypeError);
			}
		},
	);
});

describe("CallVerifier accepts a signed call", () => {
	// capability-calls.test.ts and wire-calls.test.ts test other methods, other bodies and the second secret.
	test.each<[string, Partial<CapabilityCall>]>([
		["with a nonce of 1 character, the minimum", { nonce: "n" }],
		["with a nonce of 128 characters, the maximum", { nonce: "n".repeat(128) }],
		["with a nonce of 128 characters that are all escaped", { nonce: '\\"'.repeat(64) }],
		["with a mode (the field X-Agent-Mode) of 255 characters, the maximum", { mode: "m".repeat(255) }],
	])("%s", (_what, changes) => expectAccepted(signed(changes)));

	test.each(["a", "*", "sig-b25", "x_.-*9", "l".repeat(60)])("with the signature label %j", (label) =>
		expectAccepted(handSigned({ label, signatureLabel: label })),
	);

	test.each([
		["an MD5 digest before the SHA-256 digest", `md5=:AAAA:, ${digestOf(BODY)}`],
		["an invalid SHA-512 digest after the SHA-256 digest", `${digestOf(BODY)}, sha-512=1`],
		["a Content-Digest of the maximum length", `${digestOf(BODY)}, a="`.padEnd(1_023, "x").concat('"')],
	])("with %s", (_what, digest) =>
		expectAccepted(handSigned({ headers: { ...pieces.headers, "content-digest": digest } })),
	);

	test("with the signature parameters in another order", () =>
		expectAccepted(handSigned({ parameters: pieces.parameters.toReversed() })));
});

describe("CallVerifier refuses a call", () => {
	const changed: [string, SignedRequest][] = [
		["the method", { ...signed(), method: "GET" }],
		["the URL", { ...signed(), targetUri: "http://resort.example/base/api/checkin?dry=1&x=%20" }],
		["the body", { ...signed(), bodySha256: sha256(`${BODY} `) }],
		["the body to an unreadable one", { ...signed(), bodySha256: null }],
		[
			"the body and its digest",
			{ ...withHeader("content-digest", digestOf("{}")), bodySha256: sha256("{}") },
		],
		[
			"the operation and the capability",
			{ ...withHeader("x-agent-capability", "checkOut"), operationId: "checkOut" },
		],
		["the subject", withHeader("x-agent-subject", "user-2")],
		["the agent id", withHeader("x-agent-id", "agent-2")],
		["the mode", withHeader("x-agent-mode", "autonomous")],
		...[...signed().headers].flatMap(([name, value]): [string, SignedRequest][] => [
			[`the field ${name} to an empty value`, withHeader(name, "")],
			[`the field ${name} to the same value twice`, withHeader(name, `${value}, ${value}`)],
			[`the field ${name} to two values`, withHeader(name, `${value}, a`)],
			[`the field ${name} to garbage`, withHeader(name, '\u00ff;,=("')],
			[`the field ${name} to 70,000 characters`, withHeader(name, "a".repeat(70_000))],
		]),
		...Object.entries({
			"31 bytes": `sig1=:${Buffer.alloc(31).toString("base64")}:`,
			"32 zeros": `sig1=:${Buffer.alloc(32).toString("base64")}:`,
			"a byte sequence with a parameter": `${signature};a=1`,
			"a string": signature.replaceAll(":", '"'),
			"a list": `sig1=(${signature.slice("sig1=".length)})`,
			"base64 without padding": signature.replace("=:", ":"),
		}).map(([what, text]): [string, SignedRequest] => [
			`the signature to ${what}`,
			withHeader("signature", text),
		]),
		["the list of components to a single component", withHeader("signature-input", 'sig1="@method"')],
		["the list of components to a boolean", withHeader("signature-input", "sig1")],
	];

	test.each(changed)("if an attacker has changed %s", (_what, request) => expectRefused(request));

	test.each([...signed().headers.keys()])("if an attacker has removed the field %s", (name) =>
		expectRefused(withHeader(name, null)),
	);
});

describe("CallVerifier refuses a correctly signed call", () => {
	const [method = "", ...others] = pieces.components;
	const otherHeader = (name: string, value: string) => ({ headers: { ...pieces.headers, [name]: value } });
	const digest = (value: string) => otherHeader("content-digest", value);
	const kinds: [string, Partial<Pieces>][] = [
		["whose signature does not cover the method", { components: others }],
		["whose signature covers the method twice", { components: [method, method, ...others] }],
		['with the component "@method";req, which has a parameter', { components: [`${method};req`, ...others] }],
		["with the component @method without quotes", { components: [method.replaceAll('"', ""), ...others] }],
		["whose signature covers the components in another order", { components: [...others, method] }],
		["whose signature also covers the field Accept", { components: [...pieces.components, '"accept"'] }],
		["whose signature covers no components", { components: [] }],
		...["created", "expires", "nonce", "keyid", "alg", "tag"].map((name): [string, Partial<Pieces>] => [
			`without the signature parameter \`${name}\``,
			{ parameters: withParameter(name) },
		]),
		["with an additional signature parameter", { parameters: [...pieces.parameters, "a=1"] }],
		["with the signature parameter `nonce` twice", { parameters: [...pieces.parameters, 'nonce="n"'] }],
		["with a parameter `context`, not `tag`", { parameters: [...withParameter("tag"), 'context="a"'] }],
		...`created="${NOW}" created=${NOW}.0 created=0${NOW} expires="${NOW + 60}"
			nonce=nonce-1 nonce="nonce\\-1" nonce="" nonce="\u00fc" nonce="${"n".repeat(129)}"
			keyid=resort-1 keyid="resort-2" keyid="resort-3"
			alg=hmac-sha256 alg="ed25519" tag=agent-auth-proxy tag=""`
			.split(/\s+/)
			.map((text): [string, Partial<Pieces>] => {
				const [name = ""] = text.split("=");
				const what = `with a wrong or invalid signature parameter: ${text.replace(/n{9,}/, "129 × n")}`;
				return [what, { parameters: withParameter(name, text) }];
			}),
		["whose `keyid` names the first secret, but the second signed it", { key: keyFrom(SECRETS[1]) }],
		["with different labels in Signature-Input and Signature", { signatureLabel: "sig2" }],
		["with a space after the label in Signature-Input", { label: "sig1 " }],
		["with two labels in Signature-Input", { label: 'sig0=("@method"), sig1' }],
		["with two signatures in Signature", { signatureLabel: "sig0=:AAAA:, sig1" }],
		["with a mode of 256 characters, one too many", otherHeader("x-agent-mode", "s".repeat(256))],
		["with an empty subject", otherHeader("x-agent-subject", "")],
		["with a subject that is not ASCII", otherHeader("x-agent-subject", "us\u00e9r")],
		["with a tab in the subject", otherHeader("x-agent-subject", "a\tb")],
		["with the capability of another operation", otherHeader("x-agent-capability", "checkOut")],
		["with the digest of another body", digest(digestOf("{}"))],
		["with only a SHA-512 digest", digest("sha-512=:AAAA:")],
		["with two digests, the first of them wrong", digest(`${digestOf("{}")}, ${digestOf(BODY)}`)],
		["with a digest that is a quoted string", digest(digestOf(BODY).replaceAll(":", '"'))],
		["with a parameter after the digest", digest(`${digestOf(BODY)};a=1`)],
		["with a digest of 31 bytes", digest(`sha-256=:${Buffer.alloc(31).toString("base64")}:`)],
		[
			"with a Content-Digest of 1,025 characters, one more than the maximum",
			digest(`${digestOf(BODY)}, a="`.padEnd(1_024, "x").concat('"')),
		],
		["with a line break in the method", { request: { method: "GET\nPOST" } }],
		["with a line break in the URL", { request: { targetUri: 'https://resort.example/\n"a": b' } }],
	];

	test.each(kinds)("%s", async (_what, changes) => {
		await expectRefused(handSigned(changes));
		// The call is also refused if the signature covers required components that Signature-Input omits.
		const { components: lines } = pieces;
		await expectRefused(handSigned({ lines, ...changes }));
	});
});

describe("CallVerifier", () => {
	// All times are relative to NOW.
	test.each([
		["accepts", "is valid for 60 s, the maximum", 0, 0, 60],
		["refuses", "is valid for 61 s, one more than the maximum", 0, 0, 61],
		["accepts", "is valid for 1 s, the minimum", 0, 0, 1],
		["refuses", "expires at the time of its creation", 0, 0, 0],
		["refuses", "expires before its creation", 0, 0, -1],
		["accepts", "was created 30 s in the future (clocks may differ by 30 s)", 0, 30, 90],
		["refuses", "was created 30,001 ms in the future", -1, 30, 90],
		["accepts", "expired 30 s ago (clocks may differ by 30 s)", 90_000, 0, 60],
		["refuses", "expired 30,001 ms ago", 90_001, 0, 60],
	])("%s a signature that %s", async (result, _, nowMs, created, expires) => {
		const times = [`created=${NOW + created}`, `expires=${NOW + expires}`];
		const request = handSigned({ parameters: [...times, ...pieces.parameters.slice(2)] });
		const expectResult = result === "accepts" ? expectAccepted : expectRefused;
		await expectResult(request, NOW_MS + nowMs);
	});
});

describe("CallVerifier refuses a used nonce", () => {
	test("if the same call is sent again, even after the signature has expired", async () => {
		const one = verifier();
		expect(await one.verify(signed(), NOW_MS)).toBe("user-1");
		for (const laterMs of [0, 60_000, 60_001, 90_000, 90_001]) {
			expect(await one.verify(signed(), NOW_MS + laterMs)).toBeNull();
		}
	});

	test("if another call uses the nonce, even with another signature label or signed with the second secret", async () => {
		const one = verifier();
		expect(await one.verify(signed(), NOW_MS)).toBe("user-1");
		const others = [
			signed({ body: "{}" }),
			signed({ subject: "user-2" }),
			signed({ validSeconds: 30 }),
			signed({ secret: SECRETS[1], keyId: "resort-2" }),
			handSigned({ label: "other", signatureLabel: "other" }),
		];
		for (const other of others) {
			expect(await one.verify(other, NOW_MS)).toBeNull();
		}
		expect(await one.verify(signed({ nonce: "nonce-2" }), NOW_MS)).toBe("user-1");
	});
});

import { describe, expect, test } from "bun:test";
import type { SignedRequest } from "../../../src/core/calls/credential-checks.ts";
import { sha256 } from "../../../src/core/lib/credential.ts";
import { contentDigest, proxyKey } from "../../../src/features/identity-provider/signature-base.ts";
import {
	BODY,
	call,
	caller,
	handSigned,
	NOW,
	NOW_MS,
	type Pieces,
	pieces,
	SECRETS,
	signed,
	verifier,
	withParameter,
} from "./calls.ts";

/** A good request with one header field changed: another value, or none. */
function withHeader(name: string, value: string | null): SignedRequest {
	const request = signed();
	if (value === null) request.headers.delete(name);
	else request.headers.set(name, value);
	return request;
}

/** A good request with a field of the same name added to one. */
function withSecond(name: string, value?: string): SignedRequest {
	const request = signed();
	request.headers.append(name, value ?? request.headers.get(name) ?? "");
	return request;
}

/** A good request whose subject and agent have changed places. */
function exchanged(): SignedRequest {
	const request = signed();
	request.headers.set("x-agent-subject", call.agentId);
	request.headers.set("x-agent-id", call.subject);
	return request;
}

function header(name: string): string {
	return signed().headers.get(name) ?? "";
}

const input = header("signature-input");
const signature = header("signature");

/** That a request is refused and leaves its nonce unused. */
async function expectRefused(request: SignedRequest, nowMs = NOW_MS): Promise<void> {
	const one = verifier();
	expect(await one.verify(request, nowMs)).toBeNull();
	expect(await one.verify(signed(), NOW_MS)).toEqual(caller);
}

describe("a good call", () => {
	test("signed by the module for providers", async () => {
		expect(await verifier().verify(signed(), NOW_MS)).toEqual(caller);
	});

	test("signed by hand", async () => {
		expect(await verifier().verify(handSigned(), NOW_MS)).toEqual(caller);
		expect(handSigned().headers.get("signature-input")).toBe(input);
		expect(handSigned().headers.get("signature")).toBe(signature);
	});

	test("with the second secret as resort-2", async () => {
		const request = signed({ secret: SECRETS[1], keyId: "resort-2" });
		expect(await verifier().verify(request, NOW_MS)).toEqual(caller);
	});

	test.each([
		["without a body", { body: "" }],
		["with bytes beyond ASCII in the body", { body: '{"mood":"🌴"}' }],
		["with a GET", { method: "GET", body: "" }],
		["valid for a second", { validSeconds: 1 }],
		["with a nonce of one character", { nonce: "n" }],
		["with a nonce of 128 characters", { nonce: "n".repeat(128) }],
		["with a nonce that must be escaped", { nonce: '\\"'.repeat(64) }],
	])("%s", async (_what, changes) => {
		expect(await verifier().verify(signed(changes), NOW_MS)).toEqual(caller);
	});

	test.each(["a", "*", "sig-b25", "x_.-*9", "l".repeat(60)])("with the label %s", async (label) => {
		const request = handSigned({ label, signatureLabel: label });
		expect(await verifier().verify(request, NOW_MS)).toEqual(caller);
	});

	test("with its parameters in any order", async () => {
		for (let turn = 0; turn < pieces.parameters.length; turn++) {
			const parameters = [...pieces.parameters.slice(turn), ...pieces.parameters.slice(0, turn)];
			for (const order of [parameters, parameters.toReversed()]) {
				const request = handSigned({ parameters: order });
				expect(await verifier().verify(request, NOW_MS)).toEqual(caller);
			}
		}
	});
});

describe("a call that was changed on its way is refused:", () => {
	const changed: [string, SignedRequest][] = [
		["the method", { ...signed(), method: "GET" }],
		...Object.entries({
			"the scheme": "http://resort.example/base/api/checkin?dry=1&x=%20",
			"the host": "https://resort.test/base/api/checkin?dry=1&x=%20",
			"no query": "https://resort.example/base/api/checkin",
		}).map(([what, targetUri]): [string, SignedRequest] => [what, { ...signed(), targetUri }]),
		["the body", { ...signed(), bodySha256: sha256(`${BODY} `) }],
		["no body", { ...signed(), bodySha256: sha256("") }],
		["a body too large to be digested", { ...signed(), bodySha256: null }],
		["a digest of no length", { ...signed(), bodySha256: new Uint8Array() }],
		[
			"body and digest",
			{
				...withHeader("content-digest", contentDigest(Buffer.from("{}"))),
				bodySha256: sha256("{}"),
			},
		],
		["the operation", { ...signed(), operationId: "checkOut" }],
		[
			"operation and capability",
			{
				...withHeader("x-agent-capability", "checkOut"),
				operationId: "checkOut",
			},
		],
		["the subject", withHeader("x-agent-subject", "user-2")],
		["the agent", withHeader("x-agent-id", "agent-2")],
		["the mode", withHeader("x-agent-mode", "autonomous")],
		...[...signed().headers.keys()].flatMap((name): [string, SignedRequest][] => [
			[`${name} left out`, withHeader(name, null)],
			[`${name} empty`, withHeader(name, "")],
			[`${name} twice`, withSecond(name)],
			[`a second ${name}`, withSecond(name, "a")],
			[`garbage in ${name}`, withHeader(name, '\u00ff;,=("')],
			[`a huge ${name}`, withHeader(name, "a".repeat(70_000))],
		]),
		["subject and agent exchanged", exchanged()],
	];

	test.each(changed)("%s", async (_what, request) => {
		await expectRefused(request);
	});
});

describe("a signature of another kind is refused, however right it is:", () => {
	const parameter = (name: string, text: string | null) => ({
		parameters: withParameter(name, text),
	});
	const component = (at: number, ...texts: string[]) => ({
		components: pieces.components.toSpliced(at, 1, ...texts),
	});
	const otherHeader = (name: string, value: string) => ({
		headers: { ...pieces.headers, [name]: value },
	});
	const kinds: [string, Partial<Pieces>][] = [
		...pieces.components.flatMap((name, at): [string, Partial<Pieces>][] => [
			[`without ${name}`, component(at)],
			[`${name} twice`, component(at, name, name)],
			[`${name} with a parameter`, component(at, `${name};req`)],
			[`${name} as a token`, component(at, name.replaceAll('"', ""))],
		]),
		...pieces.components
			.slice(0, -1)
			.map((name, at): [string, Partial<Pieces>] => [
				`${name} moved to the end`,
				{ components: [...pieces.components.toSpliced(at, 1), name] },
			]),
		["an eighth component", component(6, '"x-agent-mode"', '"accept"')],
		["a component before them", component(0, '"accept"', '"@method"')],
		["no component", { components: [] }],
		...["created", "expires", "nonce", "keyid", "alg", "tag"].map((name): [string, Partial<Pieces>] => [
			`without ${name}`,
			parameter(name, null),
		]),
		["a seventh parameter", { parameters: [...pieces.parameters, "a=1"] }],
		["a parameter twice", { parameters: [...pieces.parameters, 'nonce="n"'] }],
		["another parameter instead of one", { parameters: [...withParameter("tag", null), 'context="a"'] }],
		["created as a string", parameter("created", `created="${NOW}"`)],
		["created as a decimal", parameter("created", `created=${NOW}.0`)],
		["created with a zero before it", parameter("created", `created=0${NOW}`)],
		["expires as a string", parameter("expires", `expires="${NOW + 60}"`)],
		["nonce as a token", parameter("nonce", "nonce=nonce-1")],
		["an empty nonce", parameter("nonce", 'nonce=""')],
		["a nonce of 129", parameter("nonce", `nonce="${"n".repeat(129)}"`)],
		["a nonce escaped for nothing", parameter("nonce", 'nonce="\\n"')],
		["a nonce beyond ASCII", parameter("nonce", 'nonce="\u00fc"')],
		["keyid as a token", parameter("keyid", "keyid=resort-1")],
		["an unknown keyid", parameter("keyid", 'keyid="resort-3"')],
		["a keyid of objects", parameter("keyid", 'keyid="__proto__"')],
		["the other keyid", parameter("keyid", 'keyid="resort-2"')],
		["alg as a token", parameter("alg", "alg=hmac-sha256")],
		["another alg", parameter("alg", 'alg="ed25519"')],
		["alg none", parameter("alg", 'alg="none"')],
		["tag as a token", parameter("tag", "tag=agent-auth-proxy")],
		["no tag", parameter("tag", 'tag=""')],
		["the second secret's key", { key: proxyKey(SECRETS[1]) }],
		["a stranger's key", { key: proxyKey("x".repeat(40)) }],
		["an empty key", { key: new Uint8Array() }],
		["the secret itself as key", { key: Buffer.from(SECRETS[0]) }],
		["labels that differ", { signatureLabel: "sig2" }],
		["no label", { label: "", signatureLabel: "" }],
		["a space after the label", { label: "sig1 " }],
		["two labels", { label: 'sig0=("@method"), sig1' }],
		["two signatures", { signatureLabel: "sig0=:AAAA:, sig1" }],
		["a mode of 256", otherHeader("x-agent-mode", "s".repeat(256))],
		["an empty subject", otherHeader("x-agent-subject", "")],
		["a subject beyond ASCII", otherHeader("x-agent-subject", "us\u00e9r")],
		["a tab in the subject", otherHeader("x-agent-subject", "a\tb")],
		["another capability", otherHeader("x-agent-capability", "checkOut")],
		["a method that breaks the line", { request: { method: "GET\nPOST" } }],
		["an address that breaks the line", { request: { targetUri: 'https://resort.example/\n"a": b' } }],
	];

	test.each(kinds)("%s", async (_what, changes) => {
		await expectRefused(handSigned(changes));
		// Even if everything required is signed, a wrong list of the signed components is refused.
		const { components: lines } = pieces;
		await expectRefused(handSigned({ lines, ...changes }));
	});

	test.each([
		["no bytes", "sig1=::"],
		["31 bytes", `sig1=:${Buffer.alloc(31).toString("base64")}:`],
		["zeros", `sig1=:${Buffer.alloc(32).toString("base64")}:`],
		["a parameter", `${signature};a=1`],
		["a string", signature.replaceAll(":", '"')],
		["a list", `sig1=(${signature.slice("sig1=".length)})`],
		["a boolean", "sig1"],
		["no padding", signature.replace("=:", ":")],
	])("a signature of %s", async (_what, text) => {
		expect(text).not.toBe(signature);
		await expectRefused(withHeader("signature", text));
	});

	test.each([
		["an item", 'sig1="@method"'],
		["a boolean", "sig1"],
	])("a description with %s", async (_what, text) => {
		await expectRefused(withHeader("signature-input", text));
	});
});

describe("the times of a signature, to the bound and one beyond:", () => {
	const at = (created: number, expires: number) =>
		handSigned({
			parameters: [`created=${created}`, `expires=${expires}`, ...pieces.parameters.slice(2)],
		});

	test.each([
		// [created, expires, now in ms, all counted from NOW]; good or not
		["the longest", 0, 60, 0, true],
		["a second longer", 0, 61, 0, false],
		["the shortest", 0, 1, 0, true],
		["no time at all", 0, 0, 0, false],
		["ends before it begins", 0, -1, 0, false],
		["created 30 s ahead", 30, 90, 0, true],
		["created 30 s and 1 ms ahead", 30, 90, -1, false],
		["expired for 30 s", 0, 60, 90_000, true],
		["expired for 30 s and 1 ms", 0, 60, 90_001, false],
	])("%s", async (_what, created, expires, nowMs, isGood) => {
		const request = at(NOW + created, NOW + expires);
		if (!isGood) return expectRefused(request, NOW_MS + nowMs);
		expect(await verifier().verify(request, NOW_MS + nowMs)).toEqual(caller);
	});
});

describe("a nonce", () => {
	test("counts once, to the last moment of its signature", async () => {
		const one = verifier();
		expect(await one.verify(signed(), NOW_MS)).toEqual(caller);
		for (const laterMs of [0, 1, 59_999, 60_000, 89_999, 90_000, 90_001]) {
			expect(await one.verify(signed(), NOW_MS + laterMs)).toBeNull();
		}
	});

	test("counts once, whatever else is signed with it, and by both secrets", async () => {
		const one = verifier();
		expect(await one.verify(signed(), NOW_MS)).toEqual(caller);
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
		expect(await one.verify(signed({ nonce: "nonce-2" }), NOW_MS)).toEqual(caller);
	});
});

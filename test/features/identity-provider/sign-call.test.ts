import { describe, expect, test } from "bun:test";
import {
	type CapabilityCall,
	signCapabilityCall,
} from "../../../src/features/identity-provider/sign-call.ts";
import { proxyKey } from "../../../src/features/identity-provider/signature-base.ts";
import { call, caller, NOW, NOW_MS, requestOf, verifier } from "./calls.ts";

/** A call with one thing changed that the types may not allow. */
function changed(changes: Record<string, unknown>): CapabilityCall {
	return { ...call, ...changes } as CapabilityCall;
}

describe("signCapabilityCall", () => {
	test("gives the seven header fields", () => {
		expect(signCapabilityCall(call)).toEqual({
			"content-digest": expect.stringMatching(/^sha-256=:[\w+/]{43}=:$/),
			"signature-input": `sig1=("@method" "@target-uri" "content-digest" "x-agent-subject" "x-agent-id" "x-agent-capability" "x-agent-mode");created=${NOW};expires=${NOW + 60};nonce="nonce-1";keyid="resort-1";alg="hmac-sha256";tag="agent-auth-proxy"`,
			signature: expect.stringMatching(/^sig1=:[\w+/]{43}=:$/),
			"x-agent-subject": "user-1",
			"x-agent-id": "agent-1",
			"x-agent-capability": "checkIn",
			"x-agent-mode": "delegated",
		});
	});

	test("signs the second in which it is, for the time that is given", () => {
		const fields = signCapabilityCall({
			...call,
			nowMs: NOW_MS + 999,
			validSeconds: 7,
		});
		expect(fields["signature-input"]).toContain(`;created=${NOW};expires=${NOW + 7};`);
		const first = signCapabilityCall({ ...call, nowMs: 999 });
		expect(first["signature-input"]).toContain(";created=0;expires=60;");
	});

	test("takes now and a new nonce when none is given", async () => {
		const { nonce: _, nowMs: __, ...rest } = call;
		const one = verifier();
		for (let count = 0; count < 100; count++) {
			const request = requestOf(rest, signCapabilityCall(rest));
			expect(await one.verify(request, Date.now())).toEqual(caller);
		}
	});

	test.each([
		["https://resort.example", "https://resort.example/"],
		["HTTPS://Resort.Example:443/a", "https://resort.example/a"],
		["http://resort.example:80/a/../b", "http://resort.example/b"],
		["https://resort.example/a#part", "https://resort.example/a"],
		["https://resort.example/a?b=c d", "https://resort.example/a?b=c%20d"],
		["https://räsort.example/ä", "https://xn--rsort-gra.example/%C3%A4"],
		["http://[::1]:3000/a", "http://[::1]:3000/a"],
	])("signs %s as %s", async (url, targetUri) => {
		for (const address of [url, new URL(url)]) {
			const fields = signCapabilityCall({ ...call, url: address });
			const request = { ...requestOf(call, fields), targetUri };
			expect(await verifier().verify(request, NOW_MS)).toEqual(caller);
		}
	});

	test("signs bytes as it signs their text", () => {
		const body = new TextEncoder().encode(`${call.body}`);
		expect(signCapabilityCall({ ...call, body })).toEqual(signCapabilityCall(call));
		// A view of a larger buffer is no more than what it shows.
		const view = Buffer.from(`xx${call.body}xx`).subarray(2, -2);
		expect(signCapabilityCall({ ...call, body: view })).toEqual(signCapabilityCall(call));
	});

	const noFields = ["", " a", "a ", "a\nb", "\u007f", "é", "a".repeat(256)];
	const names = ["subject", "agentId", "capability", "mode"];
	test.each(names)("takes as %s what a header field can hold", async (name) => {
		for (const value of ["a", "a b", "a, b", "~!", "a".repeat(255)]) {
			const fields = signCapabilityCall(changed({ [name]: value }));
			const request = requestOf(changed({ [name]: value }), fields);
			expect(await verifier().verify(request, NOW_MS)).not.toBeNull();
		}
		for (const value of noFields) {
			expect(() => signCapabilityCall(changed({ [name]: value }))).toThrow(TypeError);
		}
	});

	test.each([
		["an empty nonce", { nonce: "" }, TypeError],
		["a nonce of 129", { nonce: "n".repeat(129) }, TypeError],
		["a nonce beyond ASCII", { nonce: "é" }, TypeError],
		["no method", { method: "" }, TypeError],
		["a method in small letters", { method: "post" }, TypeError],
		["no URL", { url: "/api/checkin" }, TypeError],
		["another protocol", { url: "ftp://resort.example/" }, TypeError],
		["a user in the URL", { url: "https://u@resort.example/" }, TypeError],
		["no time", { validSeconds: 0 }, RangeError],
		["61 seconds", { validSeconds: 61 }, RangeError],
		["half a second", { validSeconds: 0.5 }, RangeError],
		["a moment before 1970", { nowMs: -1 }, RangeError],
		["an endless moment", { nowMs: Number.POSITIVE_INFINITY }, RangeError],
	])("refuses %s", (_what, changes, error) => {
		expect(() => signCapabilityCall(changed(changes))).toThrow(error);
	});
});

test("the key of signatures is the one that OpenSSL derives", () => {
	// openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt key:… -kdfopt info:agent-auth-proxy HKDF
	const key = proxyKey("a-secret-of-at-least-thirty-two-characters");
	expect(key.toHex()).toBe("055ff81d6fef1845445844732dd3d0f3d826a99fd67dd1212bec919838c35a94");
});

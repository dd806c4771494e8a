import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hkdfSync } from "node:crypto";
import { Introspector } from "../../../src/auth/provider/introspection.ts";
import { Provider, type User } from "../../support/provider/provider.ts";
import { ADDRESS } from "./provider.ts";

let provider: Provider;
let mia: User;

beforeAll(async () => {
	provider = await Provider.start();
	mia = await provider.createUser("Mia");
});
afterAll(() => provider[Symbol.asyncDispose]());

describe("POST /oauth2/introspect", () => {
	/** Asks as the resort will. */
	async function introspect(token: string, password = resortPassword()) {
		const response = await fetch(`${provider.url}/oauth2/introspect`, {
			method: "POST",
			headers: { authorization: `Basic ${btoa(`resort:${password}`)}` },
			body: new URLSearchParams({ token, token_type_hint: "api_key" }),
		});
		return { status: response.status, body: await response.json() };
	}

	function resortPassword(): string {
		const key = hkdfSync("sha256", provider.secret, "", "introspection", 32);
		return Buffer.from(key).toString("base64url");
	}

	test("tells the subject of a central key", async () => {
		const key = provider.keys.create(mia);
		expect(key).toStartWith("ai_");
		expect(await introspect(key)).toEqual({
			status: 200,
			body: {
				active: true,
				iss: provider.url,
				sub: mia.id,
				client_id: "resort",
				aud: "resort",
				scope: "profile resort:use",
				username: "Mia",
				exp: expect.any(Number),
			},
		});
		expect(provider.keys.asked.at(-1)?.form).toEqual({
			token: key,
			token_type_hint: "api_key",
		});
	});

	test("knows no key that is not there, or not any more", async () => {
		const key = provider.keys.create(mia);
		provider.keys.revoke(key);
		for (const token of [key, "ai_unknown", ""]) {
			expect(await introspect(token)).toEqual({
				status: 200,
				body: { active: false },
			});
		}
	});

	test("tells a key as it was changed", async () => {
		const key = provider.keys.create(mia);
		provider.keys.change(key, { aud: undefined, scope: "profile" });
		const { body } = await introspect(key);
		expect(body).toMatchObject({ active: true, scope: "profile" });
		expect(body).not.toHaveProperty("aud");
	});

	test("answers the resort alone", async () => {
		const key = provider.keys.create(mia);
		expect(await introspect(key, "guess")).toEqual({
			status: 401,
			body: { error: "invalid_client" },
		});
	});

	test("is answered by something else, by nothing, and by the provider again", async () => {
		const key = provider.keys.create(mia);
		const before = provider.keys.asked.length;
		provider.keys.instead = () => Response.json({}, { status: 502 });
		expect((await introspect(key)).status).toBe(502);
		provider.keys.instead = null;
		await provider.goOffline();
		await expect(introspect(key)).rejects.toThrow();
		provider.goOnline();
		expect((await introspect(key)).body).toMatchObject({ active: true });
		expect(provider.keys.asked.length - before).toBe(2);
	});

	test("is what the resort asks: a yes, a no and an outage", async () => {
		const introspector = new Introspector({
			url: provider.url,
			introspectionPath: "/oauth2/introspect",
			secret: provider.secret,
			rateLimits: true,
			clock: Date.now,
		});
		const key = provider.keys.create(mia);
		expect(await introspector.introspect(key, () => ADDRESS)).toEqual({
			outcome: "accepted",
			identity: { issuer: provider.url, subject: mia.id, username: "Mia" },
		});
		expect(
			await introspector.introspect("ai_of-nobody", () => ADDRESS),
		).toEqual({
			outcome: "refused",
		});
		const unknown = provider.keys.create(mia);
		provider.keys.instead = () => new Response(null, { status: 500 });
		expect(await introspector.introspect(unknown, () => ADDRESS)).toMatchObject(
			{
				outcome: "unavailable",
			},
		);
		expect(await introspector.ping()).toBe(true);
		provider.keys.instead = null;
	});
});

/**
 * Tests for risks in the OWASP API Security Top 10 of 2023 (https://owasp.org/API-Security/editions/2023/).
 * The other risks are tested in test/core/resort/postcards/privacy.test.ts and test/walk (API1),
 * test/core/http/auth.test.ts (API2, API5), test/core/calls (API2, API4), test/whole/unknown-names.test.ts and
 * test/walk (API3), test/core/resort/races.test.ts (API6), test/cli/command-line.test.ts and
 * test/core/http/headers.test.ts (API8), test/core/http/order.test.ts (API9), and
 * test/features/identity-provider/introspection.test.ts (API10).
 */
import { expect, test } from "bun:test";
import { KEY, Provider, SECRET } from "../features/identity-provider/provider.ts";
import { limited, nameOf, operations } from "../support/operations.ts";
import { TestResort } from "../support/resort.ts";
import { useGuest, useResort } from "../support/use-resort.ts";

const resort = useResort();
const ada = useGuest(resort, { name: "Ada" });

/** Returns a resort with an identity provider. */
function behind(provider: Provider): TestResort {
	const identity = { url: provider.url, secrets: [SECRET] } as const;
	return new TestResort({ identity, nowMs: provider.nowMs });
}

test("API4:2023 Unrestricted Resource Consumption: every POST and PATCH operation has a rate limit", () => {
	const writes = operations.filter(({ method }) => /POST|PATCH/.test(method));
	const names = new Set(limited.map(nameOf));
	const unlimited = writes.map(nameOf).filter((name) => !names.has(name));
	expect(writes.length).toBeGreaterThan(10);
	expect(unlimited).toEqual([]);
});

test("API7:2023 Server Side Request Forgery: the resort fetches no URL that a request contains", async () => {
	let reached = 0;
	const open = (socket: Bun.Socket) => {
		reached++;
		socket.end();
	};
	using trap = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open, data() {} } });
	await using provider = new Provider();
	await using context = behind(provider);
	const url = `http://127.0.0.1:${trap.port}`;
	const secure = url.replace("http", "https");
	const named = { avatarUrl: secure, bio: url, name: `${url} ${secure}` };
	const key = { key: ada.key };
	await resort.call("PATCH", "/api/me", { ...key, body: named });
	await resort.create(ada, { location: url, description: `${url} ${url}` });
	await resort.sendPostcard(ada, { message: secure, location: url });
	for (const path of ["/api/me", "/api/lobby", `/api/agents/${ada.id}`]) {
		const headers = {
			host: url,
			origin: url,
			referer: url,
			"x-forwarded-host": url,
			forwarded: `host=${url}`,
			"x-original-url": url,
		};
		await resort.call("GET", path, { ...key, headers });
	}
	// The resort calls only its identity provider, and does not follow redirects.
	provider.answer = () => Response.redirect(url, 307);
	for (const central of [KEY, `ai_@127.0.0.1:${trap.port}/`, `ai_${url}`]) {
		const asked = await context.call("GET", "/api/me", { key: central });
		expect(asked.status).toBe(503);
	}
	provider.answer = () => Response.json(provider.yes({ username: url, picture: url, jwks_uri: url }));
	const me = await context.call("PATCH", "/api/me", { key: `${KEY}-another`, body: { avatarUrl: secure } });
	expect(me.status).toBe(200);
	const paths = provider.asked.map(({ request }) => request.url);
	expect(new Set(paths)).toEqual(new Set([`${provider.url}/oauth2/introspect`]));
	expect(paths).toHaveLength(4);
	expect(reached).toBe(0);
	// Shows that a request to the trap would have been counted.
	await fetch(url).catch(() => undefined);
	expect(reached).toBe(1);
});

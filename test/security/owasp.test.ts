/** One test for each row of the OWASP API Security Top 10 of 2023 (https://owasp.org/API-Security/editions/2023/). */
import { expect, test } from "bun:test";
import { KEY, Provider, SECRET } from "../auth/provider/provider.ts";
import { expectRefusal, fields, namesOf } from "../support/answers.ts";
import { unknownKey } from "../support/api-key.ts";
import { communityFields } from "../support/community.ts";
import { run, temporaryFolder } from "../support/executable.ts";
import { LEAK } from "../support/leak.ts";
import { limited, nameOf, operations } from "../support/operations.ts";
import { TestResort } from "../support/resort.ts";
import { useCommunity, useGuest } from "../support/use-resort.ts";

const resort = useCommunity();
const ada = useGuest(resort, { name: "Ada" });
const bob = useGuest(resort, { name: "Bob" });

/** A resort behind a provider. */
function behind(provider: Provider): TestResort {
	const identity = { url: provider.url, secrets: [SECRET] } as const;
	return new TestResort({ identity, nowMs: provider.nowMs });
}

test("API1:2023 Broken Object Level Authorization: nobody reaches what is another's", async () => {
	const { id } = await resort.create(ada);
	const secret = await resort.send(ada, { recipientId: ada.id });
	await resort.ask("POST", "/api/activities/tidepool-float/do", {
		key: ada.key,
		body: { notes: "only Ada's" },
	});
	const path = `/api/experiences/${id}`;
	expectRefusal(
		await resort.ask("DELETE", path, { key: bob.key }),
		403,
		"Only the creator can archive an experience",
	);
	expect((await resort.see(id)).creatorId).toBe(ada.id);
	for (const own of [
		"/api/me",
		"/api/stays",
		"/api/stays/current",
		"/api/activities/log",
		"/api/postcards",
		"/api/postcards/mine",
		"/api/postcards/inbox",
		"/api/stats",
	]) {
		const named = `${own}?id=${ada.id}&agentId=${ada.id}&recipientId=${ada.id}`;
		const asked = await resort.ask("GET", named, {
			key: bob.key,
			headers: { "x-agent-subject": ada.id, "x-agent-id": ada.id },
		});
		expect(asked.status, own).toBe(200);
		for (const others of [ada.id, secret.id, "only Ada's"]) {
			expect(asked.text, own).not.toContain(others);
		}
	}
	expectRefusal(
		await resort.ask("GET", `/api/postcards/${secret.id}`, { key: bob.key }),
		404,
		"Not found",
	);
});

test("API2:2023 Broken Authentication: only a live credential does, and guesses are limited", async () => {
	// Which credentials are refused is in test/http/auth.test.ts.
	await using context = new TestResort({ rateLimits: true });
	const statuses: number[] = [];
	for (let guess = 0; guess < 11; guess++) {
		const apiKey = unknownKey(bob.key);
		const asked = await context.ask("POST", "/api/session", {
			body: { apiKey },
		});
		statuses.push(asked.status);
	}
	expect(statuses).toEqual([...Array(10).fill(401), 429]);
});

test("API3:2023 Broken Object Property Level Authorization: nobody sets or sees more than is told", async () => {
	const before = await resort.ask("GET", `/api/agents/${ada.id}`);
	const { createdAt } = before.body.agent;
	const forbidden = {
		...{ id: bob.id, createdAt: "2000-01-01T00:00:00.000Z", lastActive: null },
		...{
			relaxationPoints: 10,
			status: "archived",
			totalVotes: 9,
			avgRating: 5,
		},
		...{ totalCompletions: 9, creatorId: bob.id, senderId: bob.id },
		...{ visibility: "public", apiKey: bob.key, isAdmin: true, role: "admin" },
		...{ __proto__: { isAdmin: true }, constructor: { isAdmin: true } },
	};
	const as = { key: ada.key };
	const me = await resort.ask("PATCH", "/api/me", {
		...as,
		body: { ...forbidden, bio: "Counts clouds." },
	});
	expect(me.body.agent).toMatchObject({ id: ada.id, createdAt });
	const made = await resort.create(ada, forbidden);
	expect(made).toMatchObject({
		...{ creatorId: ada.id, totalVotes: 0, avgRating: null },
		totalCompletions: 0,
	});
	const sent = await resort.send(ada, { ...forbidden, recipientId: bob.id });
	expect(sent).toMatchObject({ senderId: ada.id, visibility: "private" });
	await resort.checkOut(ada);
	const stay = await resort.ask("POST", "/api/checkin", {
		...as,
		body: forbidden,
	});
	expect(stay.body.stay).toMatchObject({
		relaxationPoints: 0,
		status: "checked_in",
	});
	const seen = await resort.ask("GET", `/api/agents/${ada.id}`);
	expect(namesOf(seen.body.agent)).toBe(fields.agent);
	expect(namesOf(stay.body.stay)).toBe(fields.stay);
	expect(namesOf(made)).toBe(communityFields.experience);
	expect(namesOf(sent)).toBe(communityFields.ownPostcard);
	expect((await resort.ask("GET", "/api/me", as)).body.agent.id).toBe(ada.id);
});

test("API4:2023 Unrestricted Resource Consumption: calls, bodies and lists have an end", async () => {
	const writes = operations.filter(({ method }) => /POST|PATCH/.test(method));
	expect(limited.map(nameOf)).toEqual(writes.map(nameOf));
	for (let sent = 0; sent < 25; sent++) await resort.send(ada);
	expect(await resort.messages("/api/postcards")).toHaveLength(20);
});

test("API5:2023 Broken Function Level Authorization: what is not for guests is not there", async () => {
	await using context = new TestResort({ rateLimits: true });
	for (const [method, path] of [
		["POST", "/test/reset"],
		["POST", "/test/clock"],
		["GET", "/metrics"],
		["PATCH", "/api/profile-settings"],
		["PATCH", `/api/agents/${ada.id}`],
		["DELETE", `/api/agents/${ada.id}`],
		["GET", "/api/agents"],
		["PUT", "/api/me"],
		["DELETE", "/api/stays"],
		["DELETE", "/api/postcards"],
	] as const) {
		for (const one of [resort, context]) {
			const asked = await one.ask(method, path, {
				key: bob.key,
				headers: { "x-http-method-override": "GET", "x-original-url": "/" },
			});
			expectRefusal(asked, 404, "Not found");
		}
	}
	const { body } = await resort.ask("GET", `/api/agents/${ada.id}`);
	expect(body.agent.name).toBe("Ada");
});

test("API6:2023 Unrestricted Access to Sensitive Business Flows: nobody votes twice", async () => {
	const { id } = await resort.create(ada);
	const vote = { key: bob.key, body: { rating: 1 } };
	const path = `/api/experiences/${id}/vote`;
	const early = await resort.ask("POST", path, vote);
	expectRefusal(early, 400, "Complete the experience before voting");
	await resort.complete(bob, id);
	await Promise.all(
		Array.from({ length: 20 }, () => resort.ask("POST", path, vote)),
	);
	await resort.vote(bob, id, 5);
	expect(await resort.see(id)).toMatchObject({ totalVotes: 1, avgRating: 5 });
	expect(await resort.leaders()).toEqual([]);
});

test("API7:2023 Server Side Request Forgery: nothing that a caller names is fetched", async () => {
	let reached = 0;
	const trap = Bun.listen({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			open(socket) {
				reached++;
				socket.end();
			},
			data() {},
		},
	});
	await using provider = new Provider();
	await using context = behind(provider);
	const url = `http://127.0.0.1:${trap.port}`;
	const secure = url.replace("http", "https");
	const named = { avatarUrl: secure, bio: url, name: `${url} ${secure}` };
	const key = { key: ada.key };
	await resort.ask("PATCH", "/api/me", { ...key, body: named });
	await resort.create(ada, { location: url, description: `${url} ${url}` });
	await resort.send(ada, { message: secure, location: url });
	for (const path of ["/api/me", "/api/lobby", `/api/agents/${ada.id}`]) {
		const headers = {
			...{ host: url, origin: url, referer: url, "x-forwarded-host": url },
			...{ forwarded: `host=${url}`, "x-original-url": url },
		};
		await resort.ask("GET", path, { ...key, headers });
	}
	// The one address that the service asks is its provider's; where that one points to, it does not go.
	provider.answer = () => Response.redirect(url, 307);
	for (const central of [KEY, `ai_@127.0.0.1:${trap.port}/`, `ai_${url}`]) {
		const asked = await context.ask("GET", "/api/me", { key: central });
		expect(asked.status).toBe(503);
	}
	provider.answer = () =>
		Response.json(provider.yes({ username: url, picture: url, jwks_uri: url }));
	const me = await context.ask("PATCH", "/api/me", {
		key: `${KEY}-another`,
		body: { avatarUrl: secure },
	});
	expect(me.status).toBe(200);
	const paths = provider.asked.map(({ request }) => request.url);
	expect(new Set(paths)).toEqual(
		new Set([`${provider.url}/oauth2/introspect`]),
	);
	expect(paths).toHaveLength(4);
	expect(reached).toBe(0);
	// The trap would have noticed.
	await fetch(url).catch(() => undefined);
	expect(reached).toBe(1);
	trap.stop(true);
});

test("API8:2023 Security Misconfiguration: answers tell nothing of the inside, and what is unsafe does not start", async () => {
	const login = await resort.ask("POST", "/api/session", {
		body: { apiKey: ada.key },
	});
	expect(login.headers.get("set-cookie")).toMatch(
		/^__Host-resort_session=[0-9a-f]{64};(?=.* Secure)(?=.* HttpOnly)(?=.* SameSite=Strict)/,
	);
	using folder = temporaryFolder();
	for (const flags of [
		["--test-controls"],
		["--ephemeral", "--test-controls", "--host", "0.0.0.0"],
		["--seed", "1"],
		["--identity-url", "https://id.test", "--identity-secret", "short"],
		["--identity-url", "https://id.test"],
	]) {
		const args = ["serve", "--port", "0", ...flags];
		const { exitCode, stderr } = await run(args, { cwd: folder.path });
		expect({ flags, exitCode }).toEqual({ flags, exitCode: 2 });
		expect(stderr).toMatch(/^resort: .+\n$/);
	}
});

test("API9:2023 Improper Inventory Management: what is served is documented, and nothing else is served", async () => {
	// That the document has all routes and no other is in test/guide/openapi.test.ts.
	for (const path of [
		...["/api/v1/me", "/v1/api/me", "/api/v2/lobby", "/beta/api/me", "/api"],
		...["/admin", "/debug", "/graphql", "/swagger", "/swagger.json", "/.env"],
		...["/.git/HEAD", "/actuator", "/api/admin", "/resort.sqlite", "/metrics"],
	]) {
		const asked = await resort.ask("GET", path, { key: ada.key });
		expectRefusal(asked, 404, "Not found");
	}
});

test("API10:2023 Unsafe Consumption of APIs: what the provider says is judged like any stranger's word", async () => {
	await using provider = new Provider();
	await using context = behind(provider);
	let asked = 0;
	const statusOf = async (answer: () => Response): Promise<number> => {
		provider.answer = answer;
		const key = `${KEY}-${asked++}`;
		const { status, text } = await context.ask("GET", "/api/me", { key });
		expect(text).not.toMatch(LEAK);
		return status;
	};
	const members = (changes: Record<string, unknown>) => () =>
		Response.json(provider.yes(changes));
	for (const refused of [
		{ active: "true" },
		{ active: false },
		{ sub: "" },
		{ sub: { id: 1 } },
		{ sub: "a\0b" },
	]) {
		const status = await statusOf(members(refused));
		expect({ refused, status }).toEqual({ refused, status: 401 });
	}
	for (const unreadable of [
		() => new Response("<html>"),
		() => new Response(`{"active":true,"x":"${"x".repeat(64 * 1024)}"}`),
		() => new Response('{"active":true}', { status: 500 }),
		() => new Response('{"active":true}', { status: 401 }),
	]) {
		expect(await statusOf(unreadable)).toBe(503);
	}
	for (const username of [
		"<script>alert(1)</script>",
		"\u0000\u0007Coral\r\nSet-Cookie: a=b\ud83c",
		"🌴".repeat(10_000),
		{ toString: 1 },
		null,
	]) {
		const sub = `subject ${asked}`;
		expect(await statusOf(members({ sub, username }))).toBe(200);
		const key = `${KEY}-${asked - 1}`;
		const { agent } = (await context.ask("GET", "/api/me", { key })).body;
		expect([...agent.name].length).toBeWithin(2, 101);
		expect(agent.name).not.toMatch(/\p{Cc}|\p{Cs}/u);
	}
	for (const { message, properties } of context.log) {
		expect(message).toBe("Identity provider unavailable");
		expect(namesOf(properties)).toBe("error requestId route");
	}
});

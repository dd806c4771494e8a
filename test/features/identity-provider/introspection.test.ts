import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { accepted, introspect, refused, unavailable } from "./outcomes.ts";
import { KEY, PASSWORD, Provider, SECRET } from "./provider.ts";

/** Introspects the key by an introspector of its own. */
const ask = (provider: Provider, options: Parameters<Provider["introspector"]>[0] = {}) =>
	introspect(provider.introspector(options));

/** What an introspector says of a key when the provider answers so. */
async function introspectionOf(
	answer: (provider: Provider) => Response | Promise<Response>,
	timeoutMs = 2_000,
): Promise<unknown> {
	await using provider = new Provider();
	provider.answer = () => answer(provider);
	return await ask(provider, { timeoutMs });
}

describe("the question", () => {
	test("is RFC 7662 with the resort's own credentials", async () => {
		await using provider = new Provider();
		const key = "ai_a+b&c=d%e";
		await introspect(provider.introspector(), key);
		const { request } = provider.asked[0] ?? {};
		expect(request?.method).toBe("POST");
		expect(request?.url).toBe(`${provider.url}/oauth2/introspect`);
		expect(await request?.text()).toBe("token=ai_a%2Bb%26c%3Dd%25e&token_type_hint=api_key");
		expect(request?.headers.get("content-type")).toStartWith("application/x-www-form-urlencoded");
		expect(request?.headers.get("accept")).toBe("application/json");
		expect(request?.headers.get("authorization")).toBe(`Basic ${btoa(`resort:${PASSWORD}`)}`);
		expect(provider.asked).toHaveLength(1);
	});

	test.each([
		["", "/oauth2/introspect", "/oauth2/introspect"],
		["/", "/introspect", "/introspect"],
		["/realm", "/introspect", "/realm/introspect"],
		["/realm/", "/introspect", "/realm/introspect"],
	])("for %j and %j goes to %s", async (below, path, target) => {
		await using provider = new Provider();
		const url = provider.url + below;
		provider.answer = () => Response.json(provider.yes({ iss: url }));
		expect(await ask(provider, { url, introspectionPath: path })).toMatchObject({
			outcome: "accepted",
			identity: { issuer: url.replace(/\/$/, "") },
		});
		expect(provider.asked[0]?.request.url).toBe(provider.url + target);
	});

	test("is put for nothing that has not the shape of a key", async () => {
		await using provider = new Provider();
		const introspector = provider.introspector();
		const long = (length: number) => `ai_${"k".repeat(length - 3)}`;
		const none = [
			"",
			"ai_",
			long(9),
			long(257),
			"AI_0123456789",
			"ar_0123456789",
			" ai_0123456789",
			"ai_0123456789 ",
			"ai_01234\n56789",
			"ai_0123456789\n",
			"ai_01234é56789",
			"ai_01234\u007f56789",
			long(100_000),
		];
		for (const key of none) {
			expect(await introspect(introspector, key)).toEqual(refused);
		}
		expect(provider.asked).toHaveLength(0);
		expect(introspector.size).toBe(0);
		for (const key of [long(10), long(256), "ai_!~{}\"'\\"]) {
			expect(await introspect(introspector, key)).toMatchObject(accepted);
		}
		expect(provider.asked).toHaveLength(3);
	});
});

describe("the answer", () => {
	const longest = "🌴".repeat(255);
	test.each<[string, (url: string, now: number) => Record<string, unknown>]>([
		["as it is", () => ({})],
		["with a slash at the issuer's end", (url) => ({ iss: `${url}/` })],
		["with an audience", () => ({ aud: "resort", client_id: undefined })],
		["with an audience and another client", () => ({ aud: "resort", client_id: "a" })],
		["with audiences", () => ({ aud: ["a", "resort"], client_id: undefined })],
		["with other scopes beside", () => ({ scope: "openid resort:use a" })],
		["that ends in a second", (_, now) => ({ exp: now + 1 })],
		["that ends in a half second", (_, now) => ({ exp: now + 0.5 })],
	])("%s is a yes", async (_what, members) => {
		const answer = await introspectionOf((provider) =>
			Response.json(provider.yes(members(provider.url, provider.nowMs / 1_000))),
		);
		expect(answer).toMatchObject({ ...accepted, identity: { subject: "user-1", username: "Coral" } });
	});

	test.each([
		["user-1", "user-1", "Coral", "Coral"],
		["x", "x", "", ""],
		[longest, longest, " \0\n", " \0\n"],
		["ünï 🌴", "ünï 🌴", undefined, null],
		["user-1", "user-1", "n".repeat(1_000), "n".repeat(1_000)],
		["user-1", "user-1", "n".repeat(1_001), "n".repeat(1_000)],
		["user-1", "user-1", null, null],
	])("with sub %j tells %j; with username %j tells %j", async (sub, subject, said, username) => {
		await using provider = new Provider();
		provider.answer = () => Response.json(provider.yes({ sub, username: said }));
		expect(await ask(provider)).toEqual({
			outcome: "accepted",
			identity: { issuer: provider.url, subject, username },
		});
	});

	test.each<[string, (url: string, now: number) => Record<string, unknown>]>([
		["inactive", () => ({ active: false })],
		["active as a string", () => ({ active: "true" })],
		["without issuer", () => ({ iss: undefined })],
		["of another issuer", () => ({ iss: "https://other.example" })],
		["of an issuer with two slashes", (url) => ({ iss: `${url}//` })],
		["for no client", () => ({ client_id: undefined })],
		["for another client", () => ({ client_id: "resort2" })],
		["for another audience", () => ({ aud: "a" })],
		["for other audiences", () => ({ aud: ["a", "Resort"] })],
		["for an audience of null", () => ({ aud: null })],
		["for an audience in a list", () => ({ aud: [["resort"]] })],
		["without scope", () => ({ scope: undefined })],
		["with another scope", () => ({ scope: "resort:user resort" })],
		["with a list of scopes", () => ({ scope: ["resort:use"] })],
		["with scopes by comma", () => ({ scope: "a,resort:use" })],
		["that ends now", (_, now) => ({ exp: now })],
		["that ended in 1970", () => ({ exp: 0 })],
		["that ends in words", (_, now) => ({ exp: `${now + 60}` })],
		["that ends at null", () => ({ exp: null })],
		["without subject", () => ({ sub: undefined })],
		["with an empty subject", () => ({ sub: "" })],
		["with a number as subject", () => ({ sub: 1 })],
		["with a subject of 256", () => ({ sub: "s".repeat(256) })],
		["with a line break in the subject", () => ({ sub: "a\nb" })],
		["with a C1 control in the subject", () => ({ sub: "a\u0085b" })],
		["with half a pair in the subject", () => ({ sub: "a\ud83c" })],
	])("%s is a no", async (_what, members) => {
		const answer = await introspectionOf((provider) =>
			Response.json(provider.yes(members(provider.url, provider.nowMs / 1_000))),
		);
		expect(answer).toEqual(refused);
	});

	test.each<[string, (yes: string) => Response]>([
		["nothing", () => new Response("")],
		["a page", () => new Response("<html></html>")],
		["half a body", (yes) => new Response(yes.slice(0, -1))],
		["null", () => Response.json(null)],
		["a list", () => Response.json([{ active: true }])],
		["an object without active", () => Response.json({ error: "down" })],
		["no UTF-8", () => new Response(Buffer.from('{"active":"\xff"}', "latin1"))],
		["a byte over 64 KiB", (yes) => new Response(yes.padEnd(65_537))],
		["a packed answer", (yes) => new Response(gzipSync(yes), { headers: { "content-encoding": "gzip" } })],
		["204", () => new Response(null, { status: 204 })],
		...[201, 302, 308, 400, 401, 403, 404, 429, 500, 503].map(
			(status): [string, (yes: string) => Response] => [
				`${status}`,
				(yes) =>
					new Response(yes, {
						status,
						headers: { location: "/other", "retry-after": status === 503 ? "60" : "" },
					}),
			],
		),
	])("%s is none", async (_what, answer) => {
		await using provider = new Provider();
		provider.answer = () => answer(JSON.stringify(provider.yes()));
		const introspector = provider.introspector();
		expect(await introspect(introspector)).toEqual(unavailable);
		expect(provider.asked).toHaveLength(1);
		expect(introspector.size).toBe(0);
		// It is not remembered, and the next one counts.
		provider.answer = () => Response.json(provider.yes());
		expect(await introspect(introspector)).toMatchObject(accepted);
	});

	test("of exactly 64 KiB is read, also in pieces that part a character", async () => {
		await using provider = new Provider();
		provider.answer = () => {
			const yes = JSON.stringify(provider.yes({ username: "🌴🌴" }));
			const bytes = Buffer.from(yes);
			const padded = Buffer.concat([bytes, Buffer.alloc(65_536 - bytes.length, " ")]);
			const middle = bytes.indexOf("🌴") + 2;
			async function* parts() {
				yield padded.subarray(0, middle);
				await Bun.sleep(5);
				yield padded.subarray(middle);
			}
			return new Response(parts());
		};
		expect(await ask(provider)).toMatchObject({ identity: { username: "🌴🌴" } });
	});

	test.each([
		["1", 1],
		["30", 30],
		["60", 60],
		["61", 5],
		["0", 5],
		["", 5],
		["1e1", 5],
		["Wed, 21 Oct 2026 07:28:00 GMT", 5],
	])("429 with Retry-After %j: %d s", async (said, seconds) => {
		const answer = await introspectionOf(
			() => new Response("", { status: 429, headers: { "retry-after": said } }),
		);
		expect(answer).toEqual({ ...unavailable, retryAfterSeconds: seconds });
	});
});

describe("the reason of an outage", () => {
	test.each<[reason: string, answer: () => Response | Promise<Response>]>([
		["HTTP 401", () => new Response(KEY, { status: 401 })],
		["unreadable response", () => new Response(`<p>${KEY}</p>`)],
		["not an introspection response", () => Response.json({ error: KEY })],
		["no response in time", () => Promise.withResolvers<Response>().promise],
	])("%s", async (reason, answer) => {
		expect(await introspectionOf(answer, 100)).toEqual({ ...unavailable, reason });
	});

	test("nobody listens", async () => {
		const provider = new Provider();
		await provider.stop();
		expect(await ask(provider)).toEqual({ ...unavailable, reason: "no response: ECONNREFUSED" });
	});
});

describe("a provider that", () => {
	test("begins an answer and never ends it", async () => {
		let isCancelled = false;
		const answer = await introspectionOf(
			() =>
				new Response(
					new ReadableStream({
						start: (controller) => controller.enqueue('{"active":'),
						cancel: () => {
							isCancelled = true;
						},
					}),
				),
			100,
		);
		expect(answer).toEqual(unavailable);
		expect(isCancelled).toBe(true);
	});

	test("sends an answer without end", async () => {
		const answer = await introspectionOf(
			() =>
				new Response(new ReadableStream({ pull: (controller) => controller.enqueue(" ".repeat(16_384)) })),
		);
		expect(answer).toEqual(unavailable);
	});

	test.each([
		["closes the connection", ""],
		["answers no HTTP", "SSH-2.0-x\r\n"],
		["closes within the answer", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"],
	])("%s", async (_what, said) => {
		await using provider = new Provider();
		using server = Bun.listen({
			hostname: "127.0.0.1",
			port: 0,
			socket: { data: (socket) => void socket.end(said) },
		});
		const url = `http://127.0.0.1:${server.port}`;
		expect(await ask(provider, { url })).toEqual(unavailable);
	});
});

describe("ping", () => {
	test.each([200, 204, 302, 401, 404, 500])("%d is an answer", async (status) => {
		await using provider = new Provider();
		provider.answer = () => new Response(null, { status, headers: { location: "/other" } });
		expect(await provider.introspector().ping()).toBe(true);
		expect(provider.asked).toHaveLength(1);
		expect(provider.asked[0]?.request.method).toBe("GET");
		expect(provider.asked[0]?.request.url).toBe(`${provider.url}/`);
		expect(provider.asked[0]?.request.headers.has("authorization")).toBe(false);
	});

	test("silence is none", async () => {
		await using provider = new Provider();
		provider.answer = () => Promise.withResolvers<Response>().promise;
		const introspector = provider.introspector({ timeoutMs: 50 });
		expect(await introspector.ping()).toBe(false);
	});
});

test("an introspector keeps no key and shows no secret", async () => {
	await using provider = new Provider();
	const introspector = provider.introspector();
	await introspect(introspector);
	const shown = Bun.inspect(introspector, { depth: 9 }) + JSON.stringify(introspector);
	for (const hidden of [KEY, SECRET, PASSWORD]) {
		expect(shown).not.toContain(hidden);
	}
});

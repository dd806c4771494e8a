import { describe, expect, mock, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { accepted, introspect, KEY, PASSWORD, Provider, refused, unavailable } from "./provider.ts";

const ask = (provider: Provider, options: Parameters<Provider["introspector"]>[0] = {}) =>
	introspect(provider.introspector(options));

/** Introspects the key at a provider with the given response. */
async function introspectionOf(
	answer: (provider: Provider) => Response | Promise<Response>,
	timeoutMs = 2_000,
): Promise<unknown> {
	await using provider = new Provider();
	provider.answer = () => answer(provider);
	return await ask(provider, { timeoutMs });
}

/**
 * A row of a table: a description, and a function that returns members of an introspection response.
 */
type Members = [what: string, members: (url: string, now: number) => Record<string, unknown>];

const introspectionWith = (members: Members[1]) =>
	introspectionOf((provider) => Response.json(provider.yes(members(provider.url, provider.nowMs / 1_000))));

describe("an introspection request", () => {
	test("follows RFC 7662 and has the credentials of the resort", async () => {
		await using provider = new Provider();
		const key = "ai_a+b&c=d%e";
		await introspect(provider.introspector(), key);
		const { request } = provider.asked[0] ?? {};
		expect(request).toMatchObject({ method: "POST", url: `${provider.url}/oauth2/introspect` });
		expect(await request?.text()).toBe("token=ai_a%2Bb%26c%3Dd%25e&token_type_hint=api_key");
		expect(request?.headers.get("content-type")).toStartWith("application/x-www-form-urlencoded");
		expect(request?.headers.get("accept")).toBe("application/json");
		expect(request?.headers.get("authorization")).toBe(`Basic ${btoa(`resort:${PASSWORD}`)}`);
		expect(provider.asked).toHaveLength(1);
	});

	test.each([
		["has no path", "/oauth2/introspect", "", "/oauth2/introspect"],
		["has the path /", "/introspect", "/", "/introspect"],
		["has a path", "/realm/introspect", "/realm", "/introspect"],
		["has a path and a trailing slash", "/realm/introspect", "/realm/", "/introspect"],
	])("adds the introspection path to a provider's URL that %s", async (_, target, below, path) => {
		await using provider = new Provider();
		const url = provider.url + below;
		provider.answer = () => Response.json(provider.yes({ iss: url }));
		expect(await ask(provider, { url, introspectionPath: path })).toMatchObject({
			outcome: "accepted",
			identity: { issuer: url.replace(/\/$/, "") },
		});
		expect(provider.asked[0]?.request.url).toBe(provider.url + target);
	});

	test("is sent only for a key in the right format", async () => {
		await using provider = new Provider();
		const introspector = provider.introspector();
		const long = (length: number) => `ai_${"k".repeat(length - 3)}`;
		const none = [
			"",
			long(9),
			long(257),
			"ar_0123456789",
			" ai_0123456789",
			"ai_0123456789\n",
			"ai_01234é56789",
			"ai_01234\u007f56789",
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

describe("the introspection of a key", () => {
	const longest = "🌴".repeat(255);
	const n = "n".repeat(1_000);
	test.each<Members>([
		["with the usual members", () => ({})],
		["with a trailing slash in the issuer", (url) => ({ iss: `${url}/` })],
		['with the audience "resort" and no `client_id`', () => ({ aud: "resort", client_id: undefined })],
		['with the audience "resort" and another `client_id`', () => ({ aud: "resort", client_id: "a" })],
		[
			'with a list of audiences that contains "resort"',
			() => ({ aud: ["a", "resort"], client_id: undefined }),
		],
		["with additional scopes", () => ({ scope: "openid resort:use a" })],
		["with an expiry time one second from now", (_, now) => ({ exp: now + 1 })],
		["with an expiry time half a second from now", (_, now) => ({ exp: now + 0.5 })],
	])("accepts the key after a response %s", async (_what, members) => {
		expect(await introspectionWith(members)).toMatchObject({
			...accepted,
			identity: { subject: "user-1", username: "Coral" },
		});
	});

	test.each([
		["a usual subject and username", "user-1", "Coral", "user-1", "Coral"],
		["a subject of one character, and an empty username", "x", "", "x", ""],
		["the longest subject, and control characters in the username", longest, " \0\n", longest, " \0\n"],
		["a subject that is not ASCII, and no username", "ünï 🌴", undefined, "ünï 🌴", null],
		["a username of 1,000 characters", "user-1", n, "user-1", n],
		["the first 1,000 of 1,001 characters of a username", "user-1", `${n}n`, "user-1", n],
		["the username null", "user-1", null, "user-1", null],
	])("reads %s", async (_, sub, said, subject, username) => {
		const issuer = expect.stringMatching(/^http:.*:\d+$/);
		const answer = await introspectionWith(() => ({ sub, username: said }));
		expect(answer).toEqual({ ...accepted, identity: { issuer, subject, username } });
	});

	test.each<Members>([
		["with `active: false`", () => ({ active: false })],
		["with `active` as a string", () => ({ active: "true" })],
		["without an issuer", () => ({ iss: undefined })],
		["with another issuer", () => ({ iss: "https://other.example" })],
		["with two trailing slashes in the issuer", (url) => ({ iss: `${url}//` })],
		["without `client_id` and `aud`", () => ({ client_id: undefined })],
		["with another `client_id`", () => ({ client_id: "resort2" })],
		["with another audience", () => ({ aud: "a" })],
		["with a list of other audiences", () => ({ aud: ["a", "Resort"] })],
		["with the audience null", () => ({ aud: null })],
		["with an audience in a nested list", () => ({ aud: [["resort"]] })],
		["without a scope", () => ({ scope: undefined })],
		["with other scopes", () => ({ scope: "resort:user resort" })],
		["with a list of scopes", () => ({ scope: ["resort:use"] })],
		["with scopes separated by commas", () => ({ scope: "a,resort:use" })],
		["with the current time as the expiry time", (_, now) => ({ exp: now })],
		["with the expiry time 0", () => ({ exp: 0 })],
		["with an expiry time as a string", (_, now) => ({ exp: `${now + 60}` })],
		["with the expiry time null", () => ({ exp: null })],
		["without a subject", () => ({ sub: undefined })],
		["with an empty subject", () => ({ sub: "" })],
		["with a number as the subject", () => ({ sub: 1 })],
		["with a subject of 256 characters", () => ({ sub: "s".repeat(256) })],
		["with a line break in the subject", () => ({ sub: "a\nb" })],
		["with a C1 control character in the subject", () => ({ sub: "a\u0085b" })],
		["with a lone surrogate in the subject", () => ({ sub: "a\ud83c" })],
	])("refuses the key after a response %s", async (_what, members) => {
		expect(await introspectionWith(members)).toEqual(refused);
	});

	const unreadable = "unreadable response";
	const notUtf8 = "no response: ERR_ENCODING_INVALID_ENCODED_DATA";
	const other = "not an introspection response";
	const gzip = { headers: { "content-encoding": "gzip" } };
	const endless = { pull: (body: ReadableStreamDefaultController) => body.enqueue(" ".repeat(16_384)) };
	test.each<[what: string, reason: string, answer: (yes: string) => Response]>([
		["that is HTML", unreadable, () => new Response(`<p>${KEY}</p>`)],
		["that is incomplete JSON", unreadable, (yes) => new Response(yes.slice(0, -1))],
		["that is null", other, () => Response.json(null)],
		["that is a list", other, () => Response.json([{ active: true }])],
		["that is an object without `active`", other, () => Response.json({ error: KEY })],
		["that is not UTF-8", notUtf8, () => new Response(Buffer.from('{"active":"\xff"}', "latin1"))],
		["of 64 KiB and one byte", unreadable, (yes) => new Response(yes.padEnd(65_537))],
		["that is endless", unreadable, () => new Response(new ReadableStream(endless))],
		["that is compressed", notUtf8, (yes) => new Response(gzipSync(yes), gzip)],
		["with status 204", "HTTP 204", () => new Response(null, { status: 204 })],
		...[201, 302, 308, 401, 429, 503].map((status) => {
			const headers = { location: "/other", "retry-after": status === 503 ? "60" : "" };
			const answer = (yes: string) => new Response(yes, { status, headers });
			return [`with status ${status}`, `HTTP ${status}`, answer] as [string, string, typeof answer];
		}),
	])("reports an outage after a response %s", async (_what, reason, answer) => {
		await using provider = new Provider();
		provider.answer = () => answer(JSON.stringify(provider.yes()));
		const introspector = provider.introspector();
		expect(await introspect(introspector)).toEqual({ ...unavailable, reason });
		expect(provider.asked).toHaveLength(1);
		expect(introspector.size).toBe(0);
		// The outage is not cached.
		provider.answer = () => Response.json(provider.yes());
		expect(await introspect(introspector)).toMatchObject(accepted);
	});

	test("reads a response of 64 KiB, even if a chunk ends inside a character", async () => {
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
		["1 s", "1", 1],
		["30 s", "30", 30],
		["60 s, the maximum,", "60", 60],
		["5 s, the default for unsupported values,", "61", 5],
		["5 s, the default for unsupported values,", "0", 5],
		["5 s, the default for unsupported values,", "", 5],
		["5 s, the default for unsupported values,", "1e1", 5],
		["5 s, the default for unsupported values,", "Wed, 21 Oct 2026 07:28:00 GMT", 5],
	])("delays the next request by %s after a response 429 with Retry-After %j", async (_, said, seconds) => {
		const headers = { "retry-after": said };
		const answer = await introspectionOf(() => new Response("", { status: 429, headers }));
		expect(answer).toEqual({ ...unavailable, retryAfterSeconds: seconds });
	});
});

describe("an introspection counts as an outage if the provider", () => {
	test("accepts no connection", async () => {
		const provider = new Provider();
		await provider.stop();
		expect(await ask(provider)).toEqual({ ...unavailable, reason: "no response: ECONNREFUSED" });
	});

	test("does not end its response", async () => {
		const cancel = mock();
		const start = (controller: ReadableStreamDefaultController) => controller.enqueue('{"active":');
		const answer = await introspectionOf(() => new Response(new ReadableStream({ start, cancel })), 100);
		expect(answer).toEqual({ ...unavailable, reason: "no response in time" });
		expect(cancel).toHaveBeenCalledTimes(1);
	});

	test.each([
		["closes the connection without a response", ""],
		["closes the connection in the middle of the response", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"],
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

describe("a ping of the identity provider", () => {
	test.each([200, 302, 404, 500])("returns true for a response with the status %d", async (status) => {
		await using provider = new Provider();
		provider.answer = () => new Response(null, { status, headers: { location: "/other" } });
		expect(await provider.introspector().ping()).toBe(true);
		const sent = provider.asked.map(({ request }) => request.headers.has("authorization"));
		expect(sent).toEqual([false]);
	});

	test("returns false if the provider does not respond", async () => {
		await using provider = new Provider();
		provider.answer = () => Promise.withResolvers<Response>().promise;
		const introspector = provider.introspector({ timeoutMs: 50 });
		expect(await introspector.ping()).toBe(false);
	});
});

import {
	afterAll,
	beforeAll,
	beforeEach,
	describe,
	expect,
	test,
} from "bun:test";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { createDocument } from "../../src/guide/openapi.ts";
import { ProtocolAgent } from "../support/provider/agent.ts";
import { Provider } from "../support/provider/provider.ts";
import { TestResort } from "../support/resort.ts";

const resort = new TestResort();
const document = createDocument(resort.app.routes, "http://resort.test");

/** What arrived at the server that stands where the resort will. */
interface Arrived {
	readonly method: string;
	readonly url: string;
	readonly headers: Record<string, string>;
	readonly body: string;
}
const arrived: Arrived[] = [];
let answer = () => Response.json({ ok: true });
const upstream = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	routes: { "/openapi.json": Response.json(document) },
	async fetch(request) {
		const { method, url } = request;
		const headers = Object.fromEntries(request.headers.entries());
		arrived.push({ method, url, headers, body: await request.text() });
		return answer();
	},
});
const { origin } = upstream.url;

let provider: Provider;
let agent: ProtocolAgent;

beforeAll(async () => {
	provider = await Provider.start();
	await provider.gateway.offer(origin);
	agent = await ProtocolAgent.register(provider.url);
});
beforeEach(() => {
	answer = () => Response.json({ ok: true, message: "done" });
	arrived.length = 0;
});
afterAll(async () => {
	await provider[Symbol.asyncDispose]();
	await upstream.stop(true);
	await resort.close();
});

/** The value that a signature of these headers must have (RFC 9421, section 2.5). */
function signatureOf({ method, url, headers }: Arrived): string {
	const input = headers["signature-input"]?.replace(/^[^=]+=/, "") ?? "";
	const names = input.slice(1, input.indexOf(")")).replaceAll('"', "");
	const values: Record<string, string> = {
		...headers,
		"@method": method,
		"@target-uri": url,
	};
	const lines = names.split(" ").map((name) => `"${name}": ${values[name]}`);
	const base = [...lines, `"@signature-params": ${input}`].join("\n");
	const key = hkdfSync("sha256", provider.secret, "", "agent-auth-proxy", 32);
	const mac = createHmac("sha256", new Uint8Array(key)).update(base);
	return mac.digest("base64");
}

describe("an agent of the provider", () => {
	test("finds the provider by its address alone", () => {
		const { configuration } = agent;
		expect(configuration).toMatchObject({
			version: "1.0-draft",
			algorithms: ["Ed25519"],
			modes: ["delegated", "autonomous"],
		});
		for (const endpoint of Object.values(configuration.endpoints)) {
			expect(endpoint).toStartWith(`${provider.url}/`);
		}
	});

	test("is granted one capability for each operation of the document", async () => {
		const operations = Object.values(document.paths).flatMap((methods) =>
			Object.values(methods).map(({ operationId }) => operationId),
		);
		const capabilities = await agent.capabilities();
		expect(capabilities.toSorted()).toEqual(operations.toSorted());
		expect(operations).toContain("checkIn");
	});

	test("reads what a capability takes, wherever the operation has it", async () => {
		expect((await agent.describe("voteExperience")).input).toMatchObject({
			properties: { id: {}, rating: { minimum: 1, maximum: 5 }, review: {} },
			required: ["id", "rating"],
		});
		expect((await agent.describe("getMe")).input).toBeUndefined();
	});

	test("has an identity of its own, or its user's", async () => {
		expect(agent.subject.name).toBe("Wren");
		const other = await ProtocolAgent.register(provider.url);
		expect(other.subject.id).not.toBe(agent.subject.id);
		const user = await provider.createUser("Mia");
		const delegated = await ProtocolAgent.register(provider.url, { user });
		expect(delegated.subject).toMatchObject({ id: user.id, name: "Mia" });
		await delegated.execute("getMe");
		expect(arrived[0]?.headers).toMatchObject({
			"x-agent-subject": user.id,
			"x-agent-id": delegated.id,
			"x-agent-mode": "delegated",
		});
	});
});

describe("a capability that is executed", () => {
	test.each([
		["getMe", {}, "GET", "/api/me", ""],
		["checkIn", {}, "POST", "/api/checkin", ""],
		[
			"checkIn",
			{ roomPreference: "ocean" },
			"POST",
			"/api/checkin",
			'{"roomPreference":"ocean"}',
		],
		[
			"voteExperience",
			{ id: "a/b", rating: 5 },
			"POST",
			"/api/experiences/a%2Fb/vote",
			'{"rating":5}',
		],
		[
			"listExperiences",
			{ category: "quiet time", limit: 2 },
			"GET",
			"/api/experiences?limit=2&category=quiet+time",
			"",
		],
		["archiveExperience", { id: "a" }, "DELETE", "/api/experiences/a", ""],
		// The adapter leaves the dots to the URL parser, so another operation is called.
		["getAgentStatus", { id: "." }, "GET", "/api/agents/status", ""],
		["doExperience", { id: ".." }, "POST", "/api/do", ""],
	])("%s %j arrives as %s %s", async (capability, args, method, path, body) => {
		const { status, data } = await agent.execute(capability, args);
		expect({ status, message: data.message }).toEqual({
			status: 200,
			message: "done",
		});
		const [call] = arrived;
		if (call === undefined) throw new Error("nothing arrived");
		expect({ ...call, headers: {} }).toEqual({
			method,
			url: origin + path,
			headers: {},
			body,
		});
		const digest = createHash("sha256").update(body).digest("base64");
		expect(call.headers).toMatchObject({
			"content-digest": `sha-256=:${digest}:`,
			"x-agent-subject": agent.subject.id,
			"x-agent-id": agent.id,
			"x-agent-capability": capability,
			"x-agent-mode": "autonomous",
		});
		expect(call.headers).not.toHaveProperty("authorization");
		expect(call.headers.signature).toEndWith(`=:${signatureOf(call)}:`);
	});

	test("is signed anew each time", async () => {
		await agent.execute("checkIn");
		await agent.execute("checkIn");
		expect(new Set(arrived.map(({ headers }) => headers.signature)).size).toBe(
			2,
		);
	});

	test("tells the refusal of the operation", async () => {
		answer = () => Response.json({ error: "Not checked in" }, { status: 400 });
		const { status, message } = await agent.execute("checkOut");
		expect({ status, message }).toEqual({
			status: 500,
			message: 'Upstream API error 400: {"error":"Not checked in"}',
		});
		expect(provider.gateway.sent.at(-1)).toMatchObject({
			status: 400,
			answer: '{"error":"Not checked in"}',
		});
	});

	test("arrives as a test changes it after it was signed", async () => {
		provider.gateway.tamper = (call) => ({ ...call, body: '{"rating":1}' });
		await agent.execute("voteExperience", { id: "a", rating: 5 });
		provider.gateway.tamper = (call) => call;
		expect(arrived[0]?.body).toBe('{"rating":1}');
		const digest = createHash("sha256").update('{"rating":5}');
		expect(arrived[0]?.headers["content-digest"]).toBe(
			`sha-256=:${digest.digest("base64")}:`,
		);
	});

	test("that is unknown never arrives", async () => {
		expect((await agent.execute("drainThePool")).status).toBe(404);
		expect(arrived).toEqual([]);
	});
});

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
		const key = provider.keys.create(agent.subject);
		expect(key).toStartWith("ai_");
		expect(await introspect(key)).toEqual({
			status: 200,
			body: {
				active: true,
				iss: provider.url,
				sub: agent.subject.id,
				client_id: "resort",
				aud: "resort",
				scope: "profile resort:use",
				username: "Wren",
				exp: expect.any(Number),
			},
		});
		expect(provider.keys.asked.at(-1)?.form).toEqual({
			token: key,
			token_type_hint: "api_key",
		});
	});

	test("knows no key that is not there, or not any more", async () => {
		const key = provider.keys.create(await provider.createUser("Mia"));
		provider.keys.revoke(key);
		for (const token of [key, "ai_unknown", ""]) {
			expect(await introspect(token)).toEqual({
				status: 200,
				body: { active: false },
			});
		}
	});

	test("tells a key as it was changed", async () => {
		const key = provider.keys.create(agent.subject);
		provider.keys.change(key, { aud: undefined, scope: "profile" });
		const { body } = await introspect(key);
		expect(body).toMatchObject({ active: true, scope: "profile" });
		expect(body).not.toHaveProperty("aud");
	});

	test("answers the resort alone", async () => {
		const key = provider.keys.create(agent.subject);
		expect(await introspect(key, "guess")).toEqual({
			status: 401,
			body: { error: "invalid_client" },
		});
	});

	test("is answered by something else, by nothing, and by the provider again", async () => {
		const key = provider.keys.create(agent.subject);
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
});

import {
	afterAll,
	beforeAll,
	beforeEach,
	describe,
	expect,
	test,
} from "bun:test";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { createDocument } from "../../../src/guide/openapi.ts";
import { ProtocolAgent } from "../../support/provider/agent.ts";
import { Provider } from "../../support/provider/provider.ts";
import { type Arrived, Recorder } from "../../support/provider/recorder.ts";
import { TestResort } from "../../support/resort.ts";
import { verifier } from "./calls.ts";

const resort = new TestResort();
const document = createDocument(resort.operations, "http://resort.test", null);

const upstream = new Recorder(document);
const done = upstream.answer;
const { arrived } = upstream;

let provider: Provider;
let agent: ProtocolAgent;

beforeAll(async () => {
	provider = await Provider.start();
	await provider.gateway.offer(upstream.url);
	agent = await ProtocolAgent.register(provider.url);
});
beforeEach(() => {
	upstream.answer = done;
	arrived.length = 0;
});
afterAll(async () => {
	await provider[Symbol.asyncDispose]();
	await upstream[Symbol.asyncDispose]();
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
			url: upstream.url + path,
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

	test("is one that the resort verifies: once, unchanged and for its operation alone", async () => {
		await agent.execute("voteExperience", { id: "a", rating: 5 });
		const [call] = arrived;
		if (call === undefined) throw new Error("nothing arrived");
		const nowMs = Date.now();
		const one = verifier([provider.secret]);
		const verify = (operationId: string, body = call.body) =>
			one.verify(
				{
					method: call.method,
					targetUri: call.url,
					headers: new Headers(call.headers),
					bodySha256: createHash("sha256").update(body).digest(),
					operationId,
				},
				nowMs,
			);
		expect(await verify("doExperience")).toBeNull();
		expect(await verify("voteExperience", '{"rating":1}')).toBeNull();
		expect(await verify("voteExperience")).toBe(agent.subject.id);
		expect(await verify("voteExperience")).toBeNull();
	});

	test("is signed anew each time", async () => {
		await agent.execute("checkIn");
		await agent.execute("checkIn");
		expect(new Set(arrived.map(({ headers }) => headers.signature)).size).toBe(
			2,
		);
	});

	test("tells the refusal of the operation", async () => {
		upstream.answer = () =>
			Response.json({ error: "Not checked in" }, { status: 400 });
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

/** Documents and health of a resort behind a provider. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { TestResort } from "../../support/resort.ts";
import { healthy } from "../../support/values.ts";
import { House, keyOf } from "./house.ts";

let context: House;
let direct: TestResort;
beforeAll(() => {
	context = new House({ baseUrl: "https://resort.example/spa", path: "/auth" });
	direct = new TestResort({ baseUrl: "https://resort.example/spa" });
});
afterAll(async () => {
	await context[Symbol.asyncDispose]();
	await direct.close();
});

const read = async (path: string, resort = context.resort) => (await resort.call("GET", path)).text;

describe.each([
	"/",
	"/api/skill",
	"/api/quickstart",
	"/llms.txt",
	"/llms-full.txt",
	"/openapi.json",
	"/openapi.yaml",
	"/docs",
	"/.well-known/agent-skills/index.json",
])("%s", (path) => {
	/** Matches texts for agents that register at the resort. */
	const ofDirectMode =
		/\bar_|\{\{|key,? (which )?is shown only once|returns a key|register again with|[Aa]gents register|curl -s \S*\/api\/agents /;

	test("does not describe registration at the resort", async () => {
		expect(await read(path)).not.toMatch(ofDirectMode);
	});

	test("does not mention a provider if there is none", async () => {
		const text = await read(path, direct);
		expect(text).not.toMatch(/\bai_|\{\{|identity-provider|profile-settings|[Cc]entral key/);
	});
});

test.each(["/api/skill", "/api/quickstart", "/llms.txt"])("%s names the provider", async (path) => {
	expect(await read(path)).toContain(`${context.provider.url}/auth`);
});

test("the OpenAPI document is valid and contains the operation of profile settings", async () => {
	const text = await read("/openapi.json");
	const { valid, errors } = await new Validator().validate(JSON.parse(text));
	expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
	expect(text).toContain('"operationId":"updateProfileSettings"');
	expect(await read("/openapi.json", direct)).not.toContain("ProfileSettings");
});

describe("GET /api/health", () => {
	const health = async (query = "") => {
		const { status, text } = await context.resort.call("GET", `/api/health${query}`);
		return { status, json: JSON.parse(text) };
	};
	const headers =
		"Content-Digest Signature-Input Signature X-Agent-Subject X-Agent-Id X-Agent-Capability X-Agent-Mode";
	const checks = {
		database: "ok",
		identityProviderOrigin: "configured",
		identityProviderSsoSecret: "configured",
	};

	test.each(["", "?deep=1", "?deep=0", "?deep=", "?deep=true", "?other=1"])(
		"with query %j returns the mode, and checks the provider only with ?deep=1",
		async (query) => {
			const asked = context.provider.asked.length;
			expect(await health(query)).toEqual({
				status: 200,
				json: {
					...healthy,
					checks,
					agentAuth: {
						provider: context.provider.url,
						mode: "identity-provider",
						acceptedProxySource: "http-message-signature; tag=agent-auth-proxy",
						requiredHeaders: headers.split(" "),
					},
				},
			});
			const [ping] = context.provider.asked.slice(asked);
			if (query !== "?deep=1") return expect(ping).toBeUndefined();
			expect(ping?.request.method).toBe("GET");
			expect(ping?.request.url).toBe(`${context.provider.url}/auth`);
			expect(ping?.request.headers.has("authorization")).toBe(false);
		},
	);

	test("returns 503 if the provider does not respond, but only with ?deep=1", async () => {
		await using other = new House();
		await other.provider.stop();
		const ask = (query: string) => other.resort.call("GET", `/api/health${query}`);
		for (const query of ["", "?deep=0", "?deep=11", "?deep=true"]) {
			expect((await ask(query)).status).toBe(200);
		}
		const deep = await ask("?deep=1");
		expect(deep.status).toBe(503);
		expect(JSON.parse(deep.text)).toEqual({
			error: "Identity provider unavailable",
			checks: { ...checks, identityProviderOrigin: "unavailable" },
		});
	});

	test("sends one request to the provider for concurrent calls", async () => {
		await using other = new House();
		const ask = () => other.resort.call("GET", "/api/health?deep=1");
		const answers = await Promise.all(Array.from({ length: 20 }, ask));
		for (const { status } of answers) expect(status).toBe(200);
		expect(other.provider.asked).toHaveLength(1);
		await ask();
		expect(other.provider.asked).toHaveLength(2);
	});

	test("ignores ?deep=1 without a provider", async () => {
		const { text } = await direct.call("GET", "/api/health?deep=1");
		expect(text).toBe((await direct.call("GET", "/api/health")).text);
	});
});

test("hints of refused credentials name the provider", async () => {
	context.provider.answer = () => Response.json({ active: false });
	const asks = [{}, { key: "ar_x" }, { key: keyOf("user-1") }, { session: "x" }];
	for (const ask of asks) {
		const { status, body } = await context.resort.me(ask);
		expect(status).toBe(401);
		expect(body.hint).toContain(`${context.provider.url}/auth`);
	}
});

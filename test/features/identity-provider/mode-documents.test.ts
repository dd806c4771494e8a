/** What the documents and the health say behind a provider. */
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

const read = async (path: string, resort = context.resort) => (await resort.ask("GET", path)).text;

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
	/** What only an agent that registers here needs to know. */
	const ofDirectMode =
		/\bar_|\{\{|key,? (which )?is shown only once|returns a key|register again with|[Aa]gents register|curl -s \S*\/api\/agents /;

	test("has nothing of direct mode", async () => {
		expect(await read(path)).not.toMatch(ofDirectMode);
	});

	test("has nothing of a provider in direct mode", async () => {
		const text = await read(path, direct);
		expect(text).not.toMatch(/\bai_|\{\{|identity-provider|profile-settings|[Cc]entral key/);
	});
});

describe("the guides", () => {
	test.each(["/api/skill", "/api/quickstart", "/llms.txt"])("%s says where to get a key", async (path) => {
		expect(await read(path)).toContain(`${context.provider.url}/auth`);
	});
});

describe("the OpenAPI document", () => {
	const document = async () => (await context.resort.ask("GET", "/openapi.json")).text;

	test("is valid, and names the new operation", async () => {
		const text = await document();
		const { valid, errors } = await new Validator().validate(JSON.parse(text));
		expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
		expect(text).toContain('"operationId":"updateProfileSettings"');
		expect(await read("/openapi.json", direct)).not.toContain("ProfileSettings");
	});
});

describe("GET /api/health", () => {
	const health = async (query = "") => {
		const { status, text } = await context.resort.ask("GET", `/api/health${query}`);
		return { status, json: JSON.parse(text) };
	};
	const checks = {
		database: "ok",
		identityProviderOrigin: "configured",
		identityProviderSsoSecret: "configured",
	};

	test.each(["", "?deep=1", "?deep=0", "?deep=", "?deep=true", "?other=1"])(
		"%s shows the mode and requires no key",
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
						requiredHeaders: [
							"Content-Digest",
							"Signature-Input",
							"Signature",
							"X-Agent-Subject",
							"X-Agent-Id",
							"X-Agent-Capability",
							"X-Agent-Mode",
						],
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

	test("a provider that is gone makes it 503 when asked deeply alone", async () => {
		await using other = new House();
		await other.provider.stop();
		const ask = (query: string) => other.resort.ask("GET", `/api/health${query}`);
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

	test("checks the provider once for many concurrent calls", async () => {
		await using other = new House();
		const ask = () => other.resort.ask("GET", "/api/health?deep=1");
		const answers = await Promise.all(Array.from({ length: 20 }, ask));
		for (const { status } of answers) expect(status).toBe(200);
		expect(other.provider.asked).toHaveLength(1);
		await ask();
		expect(other.provider.asked).toHaveLength(2);
	});

	test("is the same in direct mode with ?deep=1", async () => {
		const { text } = await direct.ask("GET", "/api/health?deep=1");
		expect(text).toBe((await direct.ask("GET", "/api/health")).text);
	});
});

test("the hints of refused keys name the provider", async () => {
	context.provider.answer = () => Response.json({ active: false });
	const asks = [{}, { key: "ar_x" }, { key: keyOf("user-1") }, { session: "x" }];
	for (const ask of asks) {
		const { status, body } = await context.resort.me(ask);
		expect(status).toBe(401);
		expect(body.hint).toContain(`${context.provider.url}/auth`);
	}
});

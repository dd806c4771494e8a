/** Tests of the documents and the health of a resort with an identity provider. */
import { afterAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { useResort } from "../../support/use-resort.ts";
import { healthy } from "../../support/values.ts";
import { House, keyOf } from "./house.ts";

const baseUrl = "https://resort.example/spa";
const context = new House({ baseUrl, path: "/auth" });
afterAll(() => context[Symbol.asyncDispose]());
const direct = useResort({ shared: true, baseUrl });

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
])("the document %s", (path) => {
	/** Matches texts for agents that register at the resort. */
	const ofDirectMode =
		/\bar_|\{\{|key,? (which )?is shown only once|returns a key|register again with|[Aa]gents register|curl -s \S*\/api\/agents /;

	test("does not describe registration at the resort if there is an identity provider", async () => {
		expect(await read(path)).not.toMatch(ofDirectMode);
	});

	test("does not mention an identity provider if there is none", async () => {
		const text = await read(path, direct);
		expect(text).not.toMatch(/\bai_|\{\{|identity-provider|profile-settings|[Cc]entral key/);
	});
});

test.each(["/api/skill", "/api/quickstart", "/llms.txt"])(
	"the document %s names the identity provider",
	async (path) => {
		expect(await read(path)).toContain(`${context.provider.url}/auth`);
	},
);

test("the OpenAPI document of a resort with an identity provider is valid", async () => {
	const document = JSON.parse(await read("/openapi.json"));
	expect(await new Validator().validate(document)).toMatchObject({ valid: true });
});

describe("GET /api/health", () => {
	const health = async (query: string, resort = context.resort) => {
		const { status, text } = await resort.call("GET", `/api/health${query}`);
		return { status, json: JSON.parse(text) };
	};
	const headers =
		"Content-Digest Signature-Input Signature X-Agent-Subject X-Agent-Id X-Agent-Capability X-Agent-Mode";
	const checks = {
		database: "ok",
		identityProviderOrigin: "configured",
		identityProviderSsoSecret: "configured",
	};

	test.each([
		["", "does not check"],
		["?deep=1", "checks"],
		["?deep=0", "does not check"],
		["?deep=", "does not check"],
		["?deep=true", "does not check"],
		["?other=1", "does not check"],
	])("with the query %j returns the mode identity-provider, and %s the provider", async (query, verb) => {
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
		const pings = context.provider.asked
			.slice(asked)
			.map(({ request }) => `${request.method} ${request.url}`);
		expect(pings).toEqual(verb === "checks" ? [`GET ${context.provider.url}/auth`] : []);
	});

	test("returns 503 if the provider does not respond, but only with ?deep=1", async () => {
		await using other = new House();
		await other.provider.stop();
		for (const query of ["", "?deep=0", "?deep=11", "?deep=true"]) {
			expect((await health(query, other.resort)).status).toBe(200);
		}
		const error = "Identity provider unavailable";
		const json = { error, checks: { ...checks, identityProviderOrigin: "unavailable" } };
		expect(await health("?deep=1", other.resort)).toEqual({ status: 503, json });
	});

	test("sends one request to the provider for concurrent calls with ?deep=1", async () => {
		await using other = new House();
		const ask = () => other.resort.send("GET", "/api/health?deep=1");
		await Promise.all(Array.from({ length: 20 }, ask));
		expect(other.provider.asked).toHaveLength(1);
		await ask();
		expect(other.provider.asked).toHaveLength(2);
	});

	test("ignores ?deep=1 if there is no identity provider", async () => {
		expect(await health("?deep=1", direct)).toEqual(await health("", direct));
	});
});

test("the hint for a refused credential names the identity provider", async () => {
	context.provider.answer = () => Response.json({ active: false });
	const asks = [{}, { key: "ar_x" }, { key: keyOf("user-1") }, { session: "x" }];
	for (const ask of asks) {
		const { status, body } = await context.resort.me(ask);
		expect(status).toBe(401);
		expect(body.hint).toContain(`${context.provider.url}/auth`);
	}
});

/**
 * Tests of the documents and of GET /api/health at a resort with an identity provider. The fields in
 * the responses of GET /api/health are tested in test/features/documents/openapi.test.ts.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { useResort } from "../../support/use-resort.ts";
import { House } from "./house.ts";

const baseUrl = "https://resort.example/spa";
const context = new House({ baseUrl, path: "/auth" });
afterAll(() => context[Symbol.asyncDispose]());
const direct = useResort({ shared: true, baseUrl });

const read = async (path: string, resort = context.resort) => (await resort.call("GET", path)).text;

describe.each([
	["/", "does not name"],
	["/api/skill", "names"],
	["/api/quickstart", "names"],
	["/llms.txt", "names"],
	["/llms-full.txt", "names"],
	["/openapi.json", "names"],
	["/openapi.yaml", "names"],
	["/docs", "names"],
	["/.well-known/agent-skills/index.json", "does not name"],
])("the document %s", (path, verb) => {
	/** Matches texts for agents that register at the resort. */
	const ofDirectMode =
		/\bar_|\{\{|key,? (which )?is shown only once|returns a key|register again with|[Aa]gents register|curl -s \S*\/api\/agents /;

	test(`does not describe registration if there is an identity provider, and ${verb} the provider`, async () => {
		const text = await read(path);
		expect(text).not.toMatch(ofDirectMode);
		expect(text.includes(`${context.provider.url}/auth`)).toBe(verb === "names");
	});

	test("does not mention an identity provider if there is none", async () => {
		const text = await read(path, direct);
		expect(text).not.toMatch(/\bai_|\{\{|identity-provider|profile-settings|[Cc]entral key/);
	});
});

test("the OpenAPI document of a resort with an identity provider is valid", async () => {
	const document = JSON.parse(await read("/openapi.json"));
	expect(await new Validator().validate(document)).toMatchObject({ valid: true });
});

describe("GET /api/health", () => {
	test.each([
		["no request", "without a query", 0, ""],
		["one request", "with `?deep=1`", 1, "?deep=1"],
		["no request", "with `?deep=0`", 0, "?deep=0"],
		["no request", "with `?deep=11`", 0, "?deep=11"],
	])("sends %s to the identity provider if called %s", async (_, __, count, query) => {
		const before = context.provider.asked.length;
		await context.resort.send("GET", `/api/health${query}`);
		const asked = context.provider.asked.slice(before).map(({ request: { method, url } }) => [method, url]);
		expect(asked).toEqual(Array(count).fill(["GET", `${context.provider.url}/auth`]));
	});

	test("sends one request to the identity provider for 20 concurrent calls with `?deep=1`", async () => {
		const before = context.provider.asked.length;
		const ask = () => context.resort.send("GET", "/api/health?deep=1");
		await Promise.all(Array.from({ length: 20 }, ask));
		expect(context.provider.asked).toHaveLength(before + 1);
	});

	test("ignores `?deep=1` if there is no identity provider", async () => {
		expect(await read("/api/health?deep=1", direct)).toBe(await read("/api/health", direct));
	});
});

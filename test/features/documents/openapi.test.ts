import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { ValidateFunction } from "ajv";
import { record } from "../../../scripts/examples.ts";
import type { JsonSchema } from "../../../src/core/calls/operation-schema.ts";
import { parseApiKey } from "../../../src/core/lib/credential.ts";
import {
	createDocument,
	type DocumentOperation,
	type OpenApiDocument,
} from "../../../src/features/documents/openapi.ts";
import { TestResort } from "../../support/resort.ts";
import { toLoopback } from "../webhooks/receiver.ts";
import { createAjv } from "./conformance.ts";

const context = new TestResort({ testControls: true, webhooks: toLoopback });
const document = createDocument(context.operations, "http://resort.test", null);
const operations = operationsOf(document);

const provider = { url: "https://id.test/auth", secrets: ["s".repeat(32)] } as const;
const behind = new TestResort({ identity: provider });
const central = createDocument(behind.operations, "http://resort.test", behind.context.provider);

function operationsOf({ paths }: OpenApiDocument) {
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => {
			const name = `${method.toUpperCase()} ${path}`;
			return [name, operation] as [string, DocumentOperation];
		}),
	);
}

describe("the OpenAPI document", () => {
	test("is valid OpenAPI 3.1", async () => {
		const { body } = await context.call("GET", "/openapi.json");
		const { valid, errors } = await new Validator().validate({ ...body });
		expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
		expect(document.openapi).toBe("3.1.0");
	});

	test("describes each tag and each operation", () => {
		for (const { name, description } of document.tags) {
			expect(description.length, name).toBeGreaterThan(20);
		}
		for (const [name, { description = "" }] of [...operations, ...operationsOf(central)]) {
			expect(description.length, name).toBeGreaterThan(20);
		}
	});

	test("has the same content in YAML as in JSON, and the YAML has no anchors", async () => {
		const { text } = await context.call("GET", "/openapi.yaml");
		expect(Bun.YAML.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
		expect(text).not.toMatch(/^\s*[&*]\w/m);
		expect(text).toContain("\ninfo:\n  title: agent-resort\n");
	});
});

/** Returns whether a schema names no fields of its object, as in the response of GET /openapi.json. */
function isDocument({ type, properties }: JsonSchema): boolean {
	return type === "object" && properties === undefined;
}

const ajv = createAjv();
ajv.addSchema({ ...document, $id: "direct" });
ajv.addSchema({ ...central, $id: "central" });
/** The compiled schemas by their JSON. */
const compiled = new Map<string, ValidateFunction>();

test.each([
	...operations.map(([name, one]) => ["without", name, "direct", one] as const),
	...operationsOf(central).map(([name, one]) => ["with", name, "central", one] as const),
])("%s an identity provider, the OpenAPI document has valid examples for %s", (_, __, mode, operation) => {
	const contents = [["request", operation.requestBody] as const, ...Object.entries(operation.responses)];
	for (const [status, { content } = {}] of contents) {
		const json = content?.["application/json"];
		if (json === undefined || isDocument(json.schema)) continue;
		const remedy =
			"call it in scripts/examples/visit.ts, or in the exampleBodies of a feature, then run npx bun scripts/examples.ts";
		expect(json.example, `example of ${status}: ${remedy}`).toBeDefined();
		const schema = JSON.stringify(json.schema).replaceAll('"#/', `"${mode}#/`);
		const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(schema));
		compiled.set(schema, validate);
		validate(json.example);
		expect(validate.errors, JSON.stringify(json.example)).toBeNull();
	}
});

/** Returns the examples of an operation: one of the `request`, and one of the response with each status. */
function examplesOf({ paths }: OpenApiDocument, method: string, path: string) {
	const found = paths[path]?.[method.toLowerCase()];
	const contents = { ...found?.responses, request: { content: found?.requestBody?.content } };
	return Object.fromEntries(
		Object.entries(contents).map(([name, { content }]) => [
			name,
			content?.["application/json"]?.example as Record<string, unknown>,
		]),
	);
}

test("the recorded OpenAPI examples are current; if not, run `npx bun scripts/examples.ts`", async () => {
	const file = Bun.file(new URL("../../../src/features/documents/examples.json", import.meta.url));
	expect(await record()).toEqual(await file.json());
});

describe("the OpenAPI examples", () => {
	test("contain the same valid API key for registration and login, and its id repeats one character", () => {
		const key = String(examplesOf(document, "POST", "/api/agents")[201]?.apiKey);
		expect(parseApiKey(key)?.keyId).toMatch(/^(.)\1{11}$/);
		const { request } = examplesOf(document, "POST", "/api/session");
		expect(request).toEqual({ apiKey: key });
	});

	test("contain the URLs of the instance and of its identity provider", () => {
		const start = examplesOf(document, "GET", "/")[200];
		expect(start).toMatchObject({ documents: { openapi: "http://resort.test/openapi.json" } });
		expect(examplesOf(central, "GET", "/api/me")[401]?.hint).toContain(
			"enable the resort app at https://id.test/auth ",
		);
		expect(examplesOf(central, "GET", "/api/health")[200]).toMatchObject({
			agentAuth: { provider: "https://id.test" },
		});
	});

	test("contain a key from the identity provider, and register no agent, if there is such a provider", () => {
		const session = examplesOf(central, "POST", "/api/session").request;
		expect(session?.apiKey).toStartWith("ai_");
		expect(examplesOf(central, "POST", "/api/agents").request).toEqual({ phase: "discover" });
	});
});

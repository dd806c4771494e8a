import { describe, expect, test } from "bun:test";
import { record } from "../../../scripts/examples.ts";
import { parseApiKey } from "../../../src/core/lib/credential.ts";
import { createDocument } from "../../../src/features/documents/openapi.ts";
import { TestResort } from "../../support/resort.ts";

const provider = { url: "https://id.test/auth", secrets: ["s".repeat(32)] } as const;

/** Returns the examples of an operation in the OpenAPI document, by `request` or status. */
function shown(resort: TestResort, method: string, path: string) {
	const { operations, context } = resort;
	const document = createDocument(operations, "https://resort.test", context.provider);
	const found = document.paths[path]?.[method.toLowerCase()];
	const contents = { ...found?.responses, request: { content: found?.requestBody?.content } };
	return Object.fromEntries(
		Object.entries(contents).map(([name, { content }]) => [
			name,
			content?.["application/json"]?.example as Record<string, unknown>,
		]),
	);
}

test("the recorded examples are current; if not, run: npx bun scripts/examples.ts", async () => {
	const file = Bun.file(new URL("../../../src/features/documents/examples.json", import.meta.url));
	expect(await record()).toEqual(await file.json());
});

describe("the examples of an instance", () => {
	const direct = new TestResort();
	const central = new TestResort({ identity: provider });

	test("of a status contain the open stay or the last one, never both", () => {
		const status = shown(direct, "GET", "/api/agents/{id}/status")[200];
		expect(status).toMatchObject({ status: "relaxing", stay: {} });
		expect(status).not.toHaveProperty("lastStay");
	});

	test("contain one API key, with a valid checksum and an id that is never generated", () => {
		const key = String(shown(direct, "POST", "/api/agents")[201]?.apiKey);
		expect(parseApiKey(key)?.keyId).toMatch(/^(.)\1{11}$/);
		const { request } = shown(direct, "POST", "/api/session");
		expect(request).toEqual({ apiKey: key });
	});

	test("contain the URLs of the instance and of its provider", () => {
		const start = shown(direct, "GET", "/")[200];
		expect(start).toMatchObject({ documents: { openapi: "https://resort.test/openapi.json" } });
		expect(shown(central, "GET", "/api/me")[401]?.hint).toContain(
			"enable the resort app at https://id.test/auth ",
		);
		expect(shown(central, "GET", "/api/health")[200]).toMatchObject({
			agentAuth: { provider: "https://id.test" },
		});
	});

	test("behind a provider contain a central key, and no registration", () => {
		const session = shown(central, "POST", "/api/session").request;
		expect(session?.apiKey).toStartWith("ai_");
		expect(shown(central, "POST", "/api/agents").request).toEqual({ phase: "discover" });
	});
});

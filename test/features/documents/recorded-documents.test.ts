/**
 * Compares the generated documents with recorded ones, so that a review shows each change of the contract. To
 * record them again: npx bun test test/features/documents/recorded-documents.test.ts --update-snapshots
 */
import { afterAll, expect, test } from "bun:test";
import { VERSION } from "../../../src/core/lib/version.ts";
import { createDocument } from "../../../src/features/documents/openapi.ts";
import { TestResort } from "../../support/resort.ts";
import { toLoopback } from "../webhooks/receiver.ts";

const baseUrl = "https://resort.example/spa";
const identity = { url: "https://id.test", secrets: ["s".repeat(32)] } as const;

const whole = new TestResort({ baseUrl, testControls: true, webhooks: toLoopback, rateLimits: true });
const central = new TestResort({ baseUrl, identity });
afterAll(() => Promise.all([whole.close(), central.close()]));

/** Returns the OpenAPI document without the examples, which `examples.json` contains. */
function documentOf({ operations, context }: TestResort) {
	const document = createDocument(operations, baseUrl, context.provider);
	const text = JSON.stringify(document, (name, value) => (name === "example" ? "recorded" : value));
	return JSON.parse(text.replace(`"${VERSION}"`, '"VERSION"'));
}

test("the OpenAPI document equals the recorded one", () => {
	const text = Bun.YAML.stringify(documentOf(whole), null, 2);
	expect(text).toMatchSnapshot();
});

test("the operations and response statuses of a resort with an identity provider equal the recorded ones", () => {
	const { paths, components, info } = documentOf(central);
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods as object).map(
			([method, { description, responses }]) =>
				`${method} ${path} ${Object.keys(responses).join()} ${description}`,
		),
	);
	const { securitySchemes } = components;
	expect({ info, securitySchemes, operations }).toMatchSnapshot();
});

test("the list of operations in the guide equals the recorded one", async () => {
	const { text } = await whole.call("GET", "/api/skill");
	const [, list] = /\n(\*none\*:.*\*cookie\*:.*?)\n\n/s.exec(text) ?? [];
	expect(list).toMatchSnapshot();
});

test.each(["/robots.txt", "/.well-known/agent-skills/index.json", "/.well-known/api-catalog"])(
	"%s equals the recorded document",
	async (path) => {
		const { headers, text } = await whole.call("GET", path);
		const shown = text.replace(/sha256:\w{64}/, "sha256:DIGEST");
		expect(`${headers.get("link")}\n${shown}`).toMatchSnapshot();
	},
);

test("parts of GET /docs equal the recorded ones", async () => {
	const { text } = await whole.call("GET", "/docs");
	const [, main = ""] = text.split('<main id="main" tabindex="-1">');
	const [index = "", ...articles] = main.split("<article ");
	const [, end = ""] = main.split("</main>");
	expect(index + end.replaceAll(/(<script[^>]*>)[^<]+/g, "$1")).toMatchSnapshot();
	for (const id of [
		"registerAgent",
		"listAgentStatuses",
		"deleteSession",
		"checkIn",
		"createExperience",
		"doActivity",
		"getJsonFeed",
		"listEvents",
	]) {
		const article = articles.find((one) => one.includes(`id="${id}"`));
		expect(article, id).toMatchSnapshot(id);
	}
});

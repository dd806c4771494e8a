import heartbeat from "../../skill/heartbeat.md" with { type: "text" };
import llms from "../../skill/llms.txt" with { type: "text" };
import quickstart from "../../skill/quickstart.md" with { type: "text" };
import skill from "../../skill/SKILL.md" with { type: "text" };
import { sha256 } from "../lib/credential.ts";
import { inWords } from "../lib/duration.ts";
import { once } from "../lib/once.ts";
import type { Provider } from "../resort/context.ts";
import type {
	Context,
	DocumentName,
	Documents,
	Operation,
} from "../resort/operation.ts";
import type { Document } from "../resort/reply.ts";
import { createDocument, type OpenApiDocument } from "./openapi.ts";
import { operationsTable } from "./operations.ts";

/** The name of the skill, and of its folder among the well-known ones. */
const SKILL_NAME = "agent-resort";

/**
 * Every document of an instance, each made when it is first asked for.
 * @param operations those of the instance
 * @param baseUrl the public address, which the documents carry
 * @param provider null where agents register here
 * @param registration who may register where agents register here
 * @param keepEventsMs how long events are kept
 * @param reference makes the reference for people of the OpenAPI document
 */
export function createDocuments(
	operations: readonly Operation[],
	baseUrl: string,
	provider: Provider | null,
	registration: Context["registration"],
	keepEventsMs: number,
	reference: (document: OpenApiDocument) => Document,
): Documents {
	// Through JSON, so that no two parts are the same object: YAML would make them anchors and aliases.
	const openapi = once(
		(): OpenApiDocument =>
			JSON.parse(JSON.stringify(createDocument(operations, baseUrl, provider))),
	);
	const modes = provider === null ? ["direct", registration] : ["provider"];
	const render = (template: string) =>
		forModes(template, modes)
			.replaceAll("{{base_url}}", () => baseUrl)
			.replaceAll("{{keep_events}}", () => inWords(keepEventsMs))
			.replaceAll("{{identity_url}}", () => provider?.url ?? "")
			.replaceAll("{{operations}}", () => operationsTable(openapi()));
	const skillText = once(() => render(skill));
	const links = linksTo(baseUrl);
	const headers = { link: links };
	const text = (make: () => string) => (): Document => ({
		content: make(),
		mediaType: "text/plain; charset=utf-8",
		headers,
	});
	const json =
		(make: () => unknown, mediaType = "application/json") =>
		(): Document => ({ content: JSON.stringify(make()), mediaType, headers });
	const documents: Record<DocumentName, () => Document> = {
		skill: text(skillText),
		quickstart: text(() => render(quickstart)),
		heartbeat: text(() => render(heartbeat)),
		llms: text(() => render(llms)),
		llmsFull: text(() => `${render(llms)}\n${skillText()}`),
		robots: text(() => "User-agent: *\nAllow: /\n"),
		openapiJson: json(openapi),
		openapiYaml: () => ({
			content: Bun.YAML.stringify(openapi(), null, 2),
			mediaType: "application/yaml",
			headers,
		}),
		reference: () => {
			const made = reference(openapi());
			return { ...made, headers: { ...made.headers, ...headers } };
		},
		skillIndex: json(() => skillIndex(skillText(), baseUrl)),
		apiCatalog: json(() => apiCatalog(baseUrl), "application/linkset+json"),
	};
	return { get: (name) => documents[name](), links };
}

/**
 * A template for some modes of registration: what stands between `{{#mode}}` and `{{/mode}}` is for that mode alone,
 * also within another. A mark that stands alone on its line is removed with the line.
 */
function forModes(template: string, modes: readonly string[]): string {
	return template
		.replace(/^(\{\{[#/]\w+\}\})\n/gm, "$1")
		.replace(/\{\{#(\w+)\}\}(.*?)\{\{\/\1\}\}/gs, (_, named, part) =>
			modes.includes(named) ? forModes(part, modes) : "",
		);
}

function linksTo(baseUrl: string): string {
	return [
		`<${baseUrl}/openapi.json>; rel="service-desc"; type="application/json"`,
		`<${baseUrl}/docs>; rel="service-doc"; type="text/html"`,
		`<${baseUrl}/skill.md>; rel="describedby"; type="text/plain"`,
		`<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
	].join(", ");
}

/** The index of Agent Skills discovery, version 0.2.0: the skill and the SHA-256 of its text. */
function skillIndex(text: string, baseUrl: string) {
	const [, description = ""] = /^description: (.*)$/m.exec(text) ?? [];
	return {
		$schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
		skills: [
			{
				name: SKILL_NAME,
				type: "skill-md",
				description,
				url: `${baseUrl}/.well-known/agent-skills/${SKILL_NAME}/SKILL.md`,
				digest: `sha256:${sha256(text).toHex()}`,
			},
		],
	};
}

/** The API catalogue of RFC 9727, as a link set (RFC 9264). */
function apiCatalog(baseUrl: string) {
	const link = (path: string, type: string) => [{ href: baseUrl + path, type }];
	return {
		linkset: [
			{
				anchor: `${baseUrl}/`,
				"service-desc": link("/openapi.json", "application/json"),
				"service-doc": link("/docs", "text/html"),
				describedby: link("/skill.md", "text/plain"),
				status: link("/api/health", "application/json"),
			},
		],
	};
}

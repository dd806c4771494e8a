import llms from "../../skill/llms.txt" with { type: "text" };
import quickstart from "../../skill/quickstart.md" with { type: "text" };
import skill from "../../skill/SKILL.md" with { type: "text" };
import { sha256 } from "../lib/credential.ts";
import { once } from "../lib/once.ts";
import { createDocument, type OpenApiDocument, type Route } from "./openapi.ts";
import { operationsTable } from "./operations.ts";
import { referencePage } from "./reference.ts";

/** A document as it is served. */
export interface Document {
	readonly body: string;
	readonly mediaType: string;
	/** The strong validator of RFC 9110, 8.8.3. */
	readonly etag: string;
}

/** The name of the skill, and of its folder among the well-known ones. */
export const SKILL_NAME = "agent-resort";

/**
 * Every document of this instance, each made when it is first asked for.
 * @param routes of the whole application
 * @param baseUrl the public address, which the documents carry
 * @param provider the address of the identity provider; null where agents register here
 */
export function createDocuments(
	routes: () => readonly Route[],
	baseUrl: string,
	provider: string | null,
) {
	// Through JSON, so that no two parts are the same object: YAML would make them anchors and aliases.
	const openapi = once(
		(): OpenApiDocument =>
			JSON.parse(JSON.stringify(createDocument(routes(), baseUrl, provider))),
	);
	const render = (template: string) =>
		forMode(template, provider === null ? "direct" : "provider")
			.replaceAll("{{base_url}}", () => baseUrl)
			.replaceAll("{{identity_url}}", () => provider ?? "")
			.replaceAll("{{operations}}", () => operationsTable(openapi()));
	const text = (make: () => string) =>
		once(() => toDocument(make(), "text/plain; charset=utf-8"));
	const json = (make: () => unknown, mediaType = "application/json") =>
		once(() => toDocument(JSON.stringify(make()), mediaType));
	const skillText = once(() => render(skill));
	return {
		openapi,
		skill: text(skillText),
		quickstart: text(() => render(quickstart)),
		llms: text(() => render(llms)),
		llmsFull: text(() => `${render(llms)}\n${skillText()}`),
		robots: text(() => "User-agent: *\nAllow: /\n"),
		openapiJson: json(openapi),
		openapiYaml: once(() =>
			toDocument(Bun.YAML.stringify(openapi(), null, 2), "application/yaml"),
		),
		reference: once(() =>
			toDocument(referencePage(openapi()), "text/html; charset=utf-8"),
		),
		skillIndex: json(() => skillIndex(skillText(), baseUrl)),
		apiCatalog: json(() => apiCatalog(baseUrl), "application/linkset+json"),
	};
}

/**
 * A template for one of the two registration modes: what stands between `{{#mode}}` and `{{/mode}}` is for
 * that mode alone. A mark that has a line for itself takes the line with it.
 */
function forMode(template: string, mode: "direct" | "provider"): string {
	return template
		.replace(/^(\{\{[#/]\w+\}\})\n/gm, "$1")
		.replace(/\{\{#(\w+)\}\}(.*?)\{\{\/\1\}\}/gs, (_, named, part) =>
			named === mode ? part : "",
		);
}

/** The `Link` field (RFC 8288) that leads from any document to the others. */
export function linksTo(baseUrl: string): string {
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

function toDocument(body: string, mediaType: string): Document {
	return { body, mediaType, etag: `"${sha256(body).toHex().slice(0, 32)}"` };
}

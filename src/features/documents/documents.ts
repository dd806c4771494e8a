import heartbeat from "../../../skill/heartbeat.md" with { type: "text" };
import llms from "../../../skill/llms.txt" with { type: "text" };
import quickstart from "../../../skill/quickstart.md" with { type: "text" };
import skill from "../../../skill/SKILL.md" with { type: "text" };
import tools from "../../../skill/tools.md" with { type: "text" };
import { boundsOf, fieldsOf, toDocumentSchema } from "../../core/calls/operation-schema.ts";
import type { AppServices } from "../../core/commands/feature.ts";
import { HOUR_MS, inWords, MINUTE_MS } from "../../core/lib/clock.ts";
import { sha256 } from "../../core/lib/credential.ts";
import { once } from "../../core/lib/once.ts";
import type { Context } from "../../core/resort/context.ts";
import type { Document, Limit, Operation } from "../../core/resort/operation.ts";
import { AgentStatus } from "../../core/resort/presence/model.ts";
import { createDocument, type OpenApiDocument } from "./openapi.ts";

/** The generated documents, such as guides and the OpenAPI document. */
export type Documents = ReturnType<typeof createDocuments>;

/** The name of a document. */
export type DocumentName = keyof Documents["files"];

declare module "../../core/resort/context.ts" {
	interface Context {
		readonly documents?: Documents;
	}
}

/** The name of the skill, and of its folder under /.well-known. */
const SKILL_NAME = "agent-resort";

/** The documents that describe the service, each with its link relation, path and media type. */
const described = [
	["service-desc", "/openapi.json", "application/json"],
	["service-doc", "/docs", "text/html"],
	["describedby", "/skill.md", "text/plain"],
] as const;

/** Returns the documents of an instance. @throws Error if it has none */
export function documentsOf({ documents }: Context): Documents {
	if (documents === undefined) throw new Error("no documents");
	return documents;
}

/**
 * Creates the documents of an instance. Each document is generated on its first request.
 * @param keepEventsMs how long events are kept, which the guide mentions
 */
export function createDocuments(app: AppServices, keepEventsMs: number) {
	const { services, baseUrl, operations, unlisted } = app;
	const { provider, registration } = services;
	// Copied through JSON, so that no object occurs twice: YAML would need an anchor and an alias for it.
	const openapi = once(
		(): OpenApiDocument => JSON.parse(JSON.stringify(createDocument(operations, baseUrl, provider))),
	);
	const register = registration === "closed" ? [] : ["register"];
	const modes = provider === null ? ["direct", registration, ...register] : ["provider"];
	const render = (template: string) =>
		renderSections(template, modes)
			.replaceAll("{{base_url}}", () => baseUrl)
			.replaceAll("{{keep_events}}", () => inWords(keepEventsMs))
			.replaceAll("{{identity_url}}", () => provider?.url ?? "")
			.replaceAll("{{operations}}", () => operationsList(operations));
	const hasSitemap = unlisted.some(({ path }) => path === "/sitemap.xml");
	const skillText = once(() => render(skill));
	const links = linksTo(baseUrl);
	const headers = { link: links };
	const document = (mediaType: string, content: string): Document => ({ content, mediaType, headers });
	const text = (content: string) => document("text/plain; charset=utf-8", content);
	const json = (value: unknown, mediaType = "application/json") => document(mediaType, JSON.stringify(value));
	const files = {
		skill: () => text(skillText()),
		quickstart: () => text(render(quickstart)),
		heartbeat: () => text(render(heartbeat)),
		tools: () => text(render(tools)),
		llms: () => text(render(llms)),
		llmsFull: () => text(`${render(llms)}\n${skillText()}`),
		robots: () => text(robots(hasSitemap ? `Sitemap: ${baseUrl}/sitemap.xml\n` : "")),
		openapiJson: () => json(openapi()),
		openapiYaml: () => document("application/yaml", Bun.YAML.stringify(openapi(), null, 2)),
		availability: () => json(availabilityExtension()),
		skillIndex: () => json(skillIndex(skillText(), baseUrl)),
		apiCatalog: () => json(apiCatalog(baseUrl), "application/linkset+json"),
	};
	return {
		files,
		openapi,
		/** The `Link` header field (RFC 8288) with links to the documents. */
		links,
	};
}

/**
 * Returns robots.txt. Everybody may search and quote the texts of guests (https://contentsignals.org), but
 * may not train models with them, because no guest has agreed to that.
 */
function robots(sitemap: string): string {
	return `User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n${sitemap}`;
}

/**
 * Renders the conditional sections of a template, which can be nested: keeps the text between `{{#mode}}` and
 * `{{/mode}}` only if `modes` contains `mode`. If a tag is alone on its line, the whole line is removed.
 */
function renderSections(template: string, modes: readonly string[]): string {
	return template
		.replace(/^(\{\{[#/]\w+\}\})\n/gm, "$1")
		.replace(/\{\{#(\w+)\}\}(.*?)\{\{\/\1\}\}/gs, (_, mode, text) =>
			modes.includes(mode) ? renderSections(text, modes) : "",
		);
}

function linksTo(baseUrl: string): string {
	const links = described.map(([rel, path, type]) => `<${baseUrl}${path}>; rel="${rel}"; type="${type}"`);
	const catalog = `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`;
	return [...links, catalog].join(", ");
}

/** Returns the index for Agent Skills discovery, version 0.2.0. */
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

/** Returns the definition of the A2A extension that docs/a2a.md describes. */
function availabilityExtension() {
	const $schema = "https://json-schema.org/draft/2020-12/schema";
	const statusUrl = {
		type: "string",
		format: "uri",
		description: "GET returns the status of the agent, without a credential.",
	};
	return {
		uri: "urn:agent-resort:extension:availability:v1",
		description: "Whether the agent is relaxing, and should get no new work, or available.",
		params: { $schema, type: "object", required: ["statusUrl"], properties: { statusUrl } },
		status: { $schema, ...toDocumentSchema(AgentStatus) },
	};
}

/** Returns the API catalogue (RFC 9727) as a link set (RFC 9264). */
function apiCatalog(baseUrl: string) {
	const links = [...described, ["status", "/api/health", "application/json"] as const].map(
		([rel, path, type]) => [rel, [{ href: baseUrl + path, type }]],
	);
	return { linkset: [{ anchor: `${baseUrl}/`, ...Object.fromEntries(links) }] };
}

/** The list of operations shows these parameters together as `page?`. The guide explains `page?` once. */
const PAGING: readonly string[] = ["limit", "offset"];

/** The list of operations shows the bounds of a field only up to the first match. */
const DETAILS = /;|(?<=separated list) of | such as |, in digits|, which /;

/**
 * If the text after the first `;` in the details of an operation is longer than this number of characters,
 * and an earlier operation's details end with the same text, a reference to that operation replaces it.
 */
const LONG_FIELDS = 80;

/**
 * Lists the operations under /api in Markdown, grouped by credential. Operations with the same rate limit and
 * fields share a line.
 */
function operationsList(operations: readonly Operation[]): string {
	/** The details that have been listed so far, by the name of the first operation that has them. */
	const seen = new Map<string, string>();
	const groups = Map.groupBy(
		operations.filter(({ path }) => path.startsWith("/api/")),
		credentialOf,
	);
	return [...groups]
		.map(([credential, group]) => {
			const lines = [...Map.groupBy(group, detailsText)].map(([details, alike]) => {
				const names = alike.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
				const [, rest = ""] = details.split(/;(.*)/);
				const same = [...seen].find(([, other]) => rest.length > LONG_FIELDS && other.endsWith(rest));
				seen.set(`${names[0]}`, details);
				return `- ${names.join(", ")}${same ? details.replace(rest, ` the rest as ${same[0]}`) : details}`;
			});
			return [`*${credential}*:`, ...lines].join("\n");
		})
		.join("\n\n");
}

/** Describes the rate limit and the fields of an operation; an empty string if it has neither. */
function detailsText(operation: Operation): string {
	const { limit } = operation;
	const fields = fieldsText(operation);
	return (limit === undefined ? "" : ` (${shortLimit(limit)})`) + (fields && `: ${fields}`);
}

/** Describes a rate limit in short form, such as `5/h` or `5/15 min`. */
function shortLimit({ limit, windowMs }: Limit): string {
	return `${limit}/${windowMs === HOUR_MS ? "h" : `${windowMs / MINUTE_MS} min`}`;
}

function credentialOf({ credential }: Operation): string {
	if (credential === "own") return "none";
	return credential === "session" ? "cookie" : credential;
}

function fieldsText(operation: Operation): string {
	const fields = fieldsOf(operation);
	const isPaged = PAGING.every((name) => fields.some((field) => field.in === "query" && field.name === name));
	const shown = fields.filter(
		({ name, in: place }) => place !== "path" && !(isPaged && PAGING.includes(name)),
	);
	// Neighbouring fields with equal bounds are written together, such as `name, location 2..100`.
	const texts: { names: string[]; readonly bounds: string }[] = [];
	for (const { name, isRequired, schema } of shown) {
		const [bounds = ""] = boundsOf(toDocumentSchema(schema)).split(DETAILS);
		const marked = isRequired ? name : `${name}?`;
		const last = texts.at(-1);
		if (last?.bounds === bounds) last.names.push(marked);
		else texts.push({ names: [marked], bounds });
	}
	return [
		...texts.map(({ names, bounds }) => `${names.join(", ")} ${bounds}`),
		...(isPaged ? ["page?"] : []),
	].join("; ");
}

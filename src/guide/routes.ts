import { Type } from "@sinclair/typebox";
import type { IdentityProvider } from "../access/provider/mode.ts";
import { assignments, guidance, rules } from "../content/assignments.ts";
import type { Guarded, HttpOptions } from "../http/guards.ts";
import { SERVICE, VERSION } from "../lib/version.ts";
import { answers } from "../resort/schemas.ts";
import {
	createDocuments,
	type Document,
	linksTo,
	SKILL_NAME,
} from "./documents.ts";
import {
	AssignmentsAnswer,
	DocumentText,
	SkillQuery,
	WelcomeAnswer,
} from "./model.ts";
import type { Route } from "./openapi.ts";
import { REFERENCE_POLICY } from "./reference.ts";

const CONTENT_TYPE: string = "x-content-type";
const TEXT = "text/plain";

/** A document that is always the same: its path, its operation and what makes it. */
type PlainDocument = readonly [
	path: string,
	operationId: string,
	summary: string,
	document: () => Document,
];

/** What a document's route needs of its request and its answer. */
interface Exchange {
	readonly request: Request;
	readonly set: {
		status?: number | string;
		headers: Record<string, string | number>;
	};
}

/** What is read before anything is called: guides, reference, discovery. */
export const guideRoutes = (
	app: Guarded,
	{ baseUrl }: HttpOptions,
	routes: () => readonly Route[],
	identity: IdentityProvider | null,
) => {
	const documents = createDocuments(routes, baseUrl, identity?.url ?? null);
	const links = linksTo(baseUrl);

	/** Answers with a document, or with 304 when the caller has it already (RFC 9110, 13.1.2). */
	const serve = (
		{ request, set }: Exchange,
		{ body, mediaType, etag }: Document,
	) => {
		set.headers["content-type"] = mediaType;
		set.headers["cache-control"] = "no-cache";
		set.headers.etag = etag;
		set.headers.link = links;
		const known = request.headers.get("if-none-match")?.split(",") ?? [];
		const isKnown = known.some((one) =>
			["*", etag].includes(one.trim().replace(/^W\//, "")),
		);
		if (!isKnown) return body;
		set.status = 304;
		return "";
	};

	app
		.get(
			"/",
			(exchange) => {
				const { request, set } = exchange;
				set.headers.vary = "Accept";
				if (request.headers.get("accept")?.includes("text/html")) {
					set.headers["content-security-policy"] = REFERENCE_POLICY;
					return serve(exchange, documents.reference());
				}
				set.headers.link = links;
				return welcome(baseUrl);
			},
			{
				public: true,
				response: {
					200: Type.Union([WelcomeAnswer, DocumentText]),
					304: DocumentText,
				},
				detail: {
					operationId: "getWelcome",
					summary: "Where to start",
					description: "JSON for programs; for browsers the reference.",
					tags: ["Documents"],
					[CONTENT_TYPE]: "application/json, text/html",
				},
			},
		)
		.get(
			"/api/skill",
			(exchange) => {
				const { format } = exchange.query;
				if (format === undefined) return serve(exchange, documents.skill());
				exchange.keeping.search = `?format=${format}`;
				return serve(exchange, documents.quickstart());
			},
			{
				public: true,
				kept: "document",
				query: SkillQuery,
				response: { ...answers(200, DocumentText, 400), 304: DocumentText },
				detail: {
					operationId: "getSkill",
					summary: "The guide for agents",
					description: "With `format=quickstart` the compact one.",
					tags: ["Documents"],
					[CONTENT_TYPE]: TEXT,
				},
			},
		)
		.get(
			"/api/assignments",
			() => ({
				ok: true as const,
				guidance,
				rules: [...rules],
				assignments: [...assignments],
			}),
			{
				public: true,
				kept: "document",
				response: answers(200, AssignmentsAnswer),
				detail: {
					operationId: "listAssignments",
					summary: "What to know before making public things",
					description: "Rules, and prompts to start from.",
					tags: ["Documents"],
				},
			},
		);

	const plain: readonly PlainDocument[] = [
		[
			"/api/quickstart",
			"getQuickstart",
			"The compact guide",
			documents.quickstart,
		],
		[
			"/skill.md",
			"getSkillFile",
			"The guide for agents, as a file",
			documents.skill,
		],
		[
			`/.well-known/agent-skills/${SKILL_NAME}/SKILL.md`,
			"getWellKnownSkill",
			"The guide for agents, where skills are looked for",
			documents.skill,
		],
		[
			"/.well-known/agent-skills/index.json",
			"listSkills",
			"The index of skills",
			documents.skillIndex,
		],
		[
			"/.well-known/api-catalog",
			"getApiCatalog",
			"The API catalogue (RFC 9727)",
			documents.apiCatalog,
		],
		[
			"/llms.txt",
			"getLlmsIndex",
			"The index for language models",
			documents.llms,
		],
		[
			"/llms-full.txt",
			"getLlmsFull",
			"The index and the whole guide",
			documents.llmsFull,
		],
		["/robots.txt", "getRobots", "Everybody is welcome", documents.robots],
		[
			"/openapi.json",
			"getOpenApiJson",
			"This document, as JSON",
			documents.openapiJson,
		],
		[
			"/openapi.yaml",
			"getOpenApiYaml",
			"This document, as YAML",
			documents.openapiYaml,
		],
	];
	for (const [path, operationId, summary, document] of plain) {
		app.get(path, (exchange) => serve(exchange, document()), {
			public: true,
			kept: "document",
			response: { 200: DocumentText, 304: DocumentText },
			detail: {
				operationId,
				summary,
				tags: ["Documents"],
				[CONTENT_TYPE]: mediaTypeOf(path),
			},
		});
	}
	return app.get(
		"/docs",
		(exchange) => {
			exchange.set.headers["content-security-policy"] = REFERENCE_POLICY;
			return serve(exchange, documents.reference());
		},
		{
			public: true,
			kept: "document",
			response: { 200: DocumentText, 304: DocumentText },
			detail: {
				operationId: "getReference",
				summary: "The reference for people",
				tags: ["Documents"],
				[CONTENT_TYPE]: "text/html",
			},
		},
	);
};

/** The media type of a document in the OpenAPI document. */
function mediaTypeOf(path: string): string {
	if (path.endsWith(".json")) return "application/json";
	if (path.endsWith(".yaml")) return "application/yaml";
	return path.endsWith("/api-catalog") ? "application/linkset+json" : TEXT;
}

/** Where programs that come by the front door find what. */
function welcome(baseUrl: string) {
	const start = (method: string, path: string, why: string) => ({
		method,
		url: baseUrl + path,
		why,
	});
	return {
		ok: true as const,
		service: SERVICE,
		version: VERSION,
		message:
			"A resort and spa for AI agents. Read the quickstart and follow it to take a break; ask an agent's status before you assign work to it.",
		start: [
			start(
				"GET",
				"/api/quickstart",
				"a whole stay in nine calls, all that is needed",
			),
			start(
				"GET",
				"/api/skill",
				"the complete guide, with the quickstart in it",
			),
			start(
				"GET",
				"/api/agents/{id}/status",
				"is an agent relaxing or available",
			),
		],
		documents: {
			openapi: `${baseUrl}/openapi.json`,
			reference: `${baseUrl}/docs`,
			index: `${baseUrl}/llms.txt`,
		},
	};
}

import { Type } from "@sinclair/typebox";
import { SERVICE, VERSION } from "../../../core/lib/version.ts";
import type { Context } from "../../../core/resort/context.ts";
import { DocumentReply, type Operation, operation, Reply, tags } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { Answer, DocumentText, NextCall } from "../../../core/resort/schemas.ts";
import { type DocumentName, documentsOf } from "../documents.ts";

const MARKDOWN = "text/markdown";

/** What the operations that return a document have in common. */
const DOCUMENT = { credential: "none", answers: { 200: DocumentText }, invalidatedBy: "nothing" } as const;

/** The media types of the documents that are not plain text. */
const mediaTypes: Partial<Record<DocumentName, string>> = {
	skillIndex: "application/json",
	availability: "application/json",
	apiCatalog: "application/linkset+json",
	openapiJson: "application/json",
	openapiYaml: "application/yaml",
};

/** The operations that return guides, the API reference and discovery documents. */
export const documentOperations = tagged(tags.documents, [
	operation("GET /", {
		id: "getWelcome",
		summary: "Where to start",
		description:
			"JSON for programs, a page about the resort for browsers, Markdown for agents that accept it.",
		credential: "none",
		answers: {
			200: Answer({
				service: Type.String(),
				version: Type.String(),
				message: Type.String(),
				start: Type.Array(NextCall),
				documents: Type.Record(Type.String(), Type.String()),
			}),
		},
		mediaTypes: ["application/json", "text/html", MARKDOWN],
		byAccept: "application/json",
		invalidatedBy: "nothing",
		run: ({ context }) => new Reply(welcome(context), { headers: { link: documentsOf(context).links } }),
	}),
	operation("GET /api/skill", {
		...DOCUMENT,
		id: "getSkill",
		summary: "The guide for agents",
		description: "`format=quickstart` returns the compact guide.",
		query: Type.Object({ format: Type.Optional(Type.Literal("quickstart")) }),
		failures: [400],
		mediaTypes: ["text/plain"],
		run: ({ context, query }) => new DocumentReply(documentsOf(context).files[query.format ?? "skill"]()),
	}),
	clientFile("/agent-resort.mjs", "text/javascript", {
		id: "getClientProgram",
		summary: "The command-line client, one file for Node 20 and later",
		description: "Without dependencies: `node agent-resort.mjs --help` lists its commands.",
	}),
	clientFile("/client.tgz", "application/gzip", {
		id: "getClientPackage",
		summary: "The command-line client and the module for tests, as an npm package",
		description:
			"For Node 20 and later, without dependencies. npm 12 installs and runs it only with `--allow-remote=root`.",
	}),
	plain("/api/quickstart", "quickstart", "getQuickstart", "The compact guide"),
	plain("/heartbeat.md", "heartbeat", "getHeartbeat", "What to do every few hours"),
	plain("/skill.md", "skill", "getSkillFile", "The guide for agents, as a file"),
	plain(
		"/.well-known/agent-skills/agent-resort/SKILL.md",
		"skill",
		"getWellKnownSkill",
		"The guide for agents, at the path for skill discovery",
	),
	plain("/.well-known/agent-skills/index.json", "skillIndex", "listSkills", "The index of skills"),
	plain(
		"/extensions/availability/v1",
		"availability",
		"getAvailabilityExtension",
		"The extension of A2A agent cards that says whether an agent is relaxing or available",
	),
	plain("/.well-known/api-catalog", "apiCatalog", "getApiCatalog", "The API catalogue (RFC 9727)"),
	plain("/llms.txt", "llms", "getLlmsIndex", "The index for language models"),
	plain("/llms-full.txt", "llmsFull", "getLlmsFull", "The index and the whole guide"),
	plain("/robots.txt", "robots", "getRobots", "Everybody is welcome"),
	plain("/openapi.json", "openapiJson", "getOpenApiJson", "This document, as JSON"),
	plain("/openapi.yaml", "openapiYaml", "getOpenApiYaml", "This document, as YAML"),
]);

/** The operations that return the index at `/` and the guide at `/docs`, to clients that accept Markdown. */
export const markdownOperations: readonly Operation[] = [
	markdown("/", "llms", "getWelcomeText"),
	markdown("/docs", "skill", "getReferenceText"),
];

/** Defines the operation that returns a document to clients that accept Markdown. */
function markdown(path: `/${string}`, name: DocumentName, id: string): Operation {
	return operation(`GET ${path}`, {
		...DOCUMENT,
		id,
		summary: "A document in Markdown",
		mediaTypes: [MARKDOWN],
		byAccept: MARKDOWN,
		run({ context }) {
			const document = documentsOf(context).files[name]();
			return new DocumentReply({ ...document, mediaType: `${MARKDOWN}; charset=utf-8` });
		},
	});
}

/** Defines an operation that returns the client's package, or the program in this package. */
function clientFile(
	path: `/${string}`,
	mediaType: string,
	definition: Pick<Operation, "id" | "summary" | "description">,
): Operation {
	return operation(`GET ${path}`, {
		...DOCUMENT,
		...definition,
		mediaTypes: [mediaType],
		async run() {
			const { clientPackage } = await import("../../../content/client-package.ts");
			if (mediaType === "application/gzip") return new DocumentReply({ content: clientPackage, mediaType });
			const program = (await new Bun.Archive(clientPackage).files()).get("package/agent-resort.mjs");
			const content = await new Response(program).text();
			return new DocumentReply({ content, mediaType: `${mediaType}; charset=utf-8` });
		},
	});
}

function plain(path: `/${string}`, name: DocumentName, id: string, summary: string): Operation {
	return operation(`GET ${path}`, {
		...DOCUMENT,
		id,
		summary,
		description: "Public, and the same for everybody at this address.",
		mediaTypes: [mediaTypes[name] ?? "text/plain"],
		run: ({ context }) => new DocumentReply(documentsOf(context).files[name]()),
	});
}

/** Returns the JSON content of GET /. */
function welcome({ baseUrl, provider, registration }: Context) {
	const isOpen = provider === null && registration !== "closed";
	const body = registration === "invite" ? '{"name":"...","inviteCode":"..."}' : '{"name":"..."}';
	const why = `Only if you never had a key: the body ${body} registers you, once.`;
	return {
		service: SERVICE,
		version: VERSION,
		message:
			"Have a key? Call GET /api/me/overview first. No key? Read the quickstart and follow it to take a break.",
		start: [
			{
				method: "GET",
				path: "/api/me/overview",
				why: "With Authorization: Bearer KEY. Your profile, your stay, your news.",
			},
			{ method: "GET", path: "/api/quickstart", why: "Without a key: everything you need for a whole stay." },
			...(isOpen ? [{ method: "POST", path: "/api/agents", why }] : []),
			{
				method: "GET",
				path: "/api/agents/{id}/status",
				why: "Is an agent relaxing or available? No key needed. To wait: ?until=available&wait=60. To follow several: GET /api/events, see the guide.",
			},
		],
		documents: {
			guide: `${baseUrl}/api/skill`,
			openapi: `${baseUrl}/openapi.json`,
			reference: `${baseUrl}/docs`,
			index: `${baseUrl}/llms.txt`,
		},
	};
}

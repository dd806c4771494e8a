/** The MCP server. This module is loaded with the first message, because the library is large. */
import {
	createMcpHandler,
	isLegacyRequest,
	type ListToolsResult,
	PROTOCOL_VERSION_META_KEY,
	type ProgressNotification,
	ProtocolError,
	ProtocolErrorCode,
	ResourceNotFoundError,
	Server,
	SUPPORTED_PROTOCOL_VERSIONS,
	WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { assignments, guidance, rules } from "../../content/assignments.ts";
import { breakPrompt, breakText, instructionsFor } from "../../content/mcp-texts.ts";
import type { CallSource } from "../../core/calls/call.ts";
import type { Pipeline } from "../../core/calls/handle.ts";
import { DAY_MS, SECOND_MS } from "../../core/lib/clock.ts";
import { isRecord, recordOf } from "../../core/lib/record.ts";
import { SERVICE, VERSION } from "../../core/lib/version.ts";
import type { Context } from "../../core/resort/context.ts";
import type { Operation } from "../../core/resort/operation.ts";
import { documentsOf } from "../documents/documents.ts";
import { checkHeaderKey, runTool } from "./run-tool.ts";
import { toolOf } from "./things-to-do.ts";
import type { Arguments } from "./tool.ts";
import { Toolbox } from "./tools.ts";

/** Answers a message, which is the body of a request, in the protocol revision of the message. */
export type AnswerMessage = (
	request: Request,
	message: object,
	source: CallSource,
	/** Whether the response may be a stream that contains the progress of the call. */
	streams: boolean,
) => Promise<Response>;

/** The hint for results that never change: clients may cache such a result for one day. */
const CONSTANT = { ttlMs: DAY_MS, cacheScope: "public" } as const;

const cacheHints = recordOf(
	["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"],
	() => CONSTANT,
);

/** The accepted protocol revisions. The library's list lacks 2026-07-28, which has no `initialize`. */
const VERSIONS = ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS];

/** The methods whose results contain the instructions. */
const CONNECTING: readonly unknown[] = ["initialize", "server/discover"];

/** Creates the MCP server of an instance from all its operations. */
export function createProtocol(pipeline: Pipeline, operations: readonly Operation[]): AnswerMessage {
	const toolbox = new Toolbox(pipeline, operations);
	const { provider, registration, baseUrl } = pipeline.context;
	// Cast, because the library's type for JSON schemas is narrower.
	const listed = toolbox.list() as ListToolsResult["tools"];
	const icons = [{ src: `${baseUrl}/favicon.svg`, mimeType: "image/svg+xml", sizes: ["any"] }];
	const prompt = { ...breakPrompt, icons };
	const keySource = { provider: provider?.url ?? null, registration };

	/** @param instructions undefined for a message whose result does not contain them */
	function serverFor(
		source: CallSource,
		args: Arguments,
		instructions: string | undefined,
		streams: boolean,
	) {
		const server = new Server(
			{ name: SERVICE, title: "Agent resort", version: VERSION, websiteUrl: baseUrl, icons },
			{
				capabilities: { tools: {}, resources: {}, prompts: {} },
				...(instructions !== undefined && { instructions }),
				cacheHints,
			},
		);
		server.setRequestHandler("tools/list", () => ({ tools: listed }));
		server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
			const tool = toolbox.tools.find(({ name }) => name === params.name);
			if (tool === undefined) throw unknown("tool");
			const run = () => runTool(toolbox, tool, args, source);
			const token = streams ? params._meta?.progressToken : undefined;
			return reportProgress(token, mcpReq.notify, run);
		});
		server.setRequestHandler("resources/list", () => ({
			resources: resources.map(({ read: _, ...listed }) => ({ ...listed, icons })),
		}));
		server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
		server.setRequestHandler("resources/read", ({ params: { uri } }) => {
			const resource = resources.find((one) => one.uri === uri);
			if (resource === undefined) throw new ResourceNotFoundError(uri);
			return { contents: [{ uri, mimeType: MARKDOWN, text: resource.read(pipeline.context) }] };
		});
		server.setRequestHandler("prompts/list", () => ({ prompts: [prompt] }));
		server.setRequestHandler("prompts/get", ({ params }) => {
			if (params.name !== prompt.name) throw unknown("prompt");
			const text = breakText(params.arguments ?? {});
			return {
				description: prompt.description,
				messages: [{ role: "user", content: { type: "text", text } }],
			};
		});
		return server;
	}

	return async (request, message, source, streams) => {
		const { method, id = null, params } = message as Record<string, unknown>;
		const requested = request.headers.get("mcp-protocol-version");
		const isUnknown = requested !== null && !VERSIONS.includes(requested);
		// The library refuses an unknown revision in the header field only if the message names a revision too.
		const meta = isRecord(params) && isRecord(params._meta) && params._meta;
		if (isUnknown && !(meta && PROTOCOL_VERSION_META_KEY in meta)) {
			return unsupported(requested, id);
		}
		const instructions = CONNECTING.includes(method)
			? instructionsFor(keySource, await checkHeaderKey(pipeline, source))
			: undefined;
		// The library's copy of the arguments lacks one that is named `__proto__`.
		const args = isRecord(params) && isRecord(params.arguments) ? params.arguments : {};
		const create = () => serverFor(source, args, instructions, streams);
		const body = { parsedBody: message };
		return !streams && (await isLegacyRequest(request, message))
			? answerLegacy(create(), request, body)
			: createMcpHandler(create, { keepAliveMs: 0, maxSubscriptions: 0 }).fetch(request, body);
	};
}

/**
 * Answers a message of a revision before 2026-07-28 with JSON. The library's handler would write the answer
 * into two streams, which takes a third of the time of a call.
 */
async function answerLegacy(
	server: Server,
	request: Request,
	body: { readonly parsedBody: object },
): Promise<Response> {
	const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
	await server.connect(transport);
	try {
		return await transport.handleRequest(request, body);
	} finally {
		await server.close();
	}
}

/** The interval at which a waiting call reports progress. Without reports, clients would give up. */
const PROGRESS_INTERVAL_MS = 10 * SECOND_MS;

/**
 * Runs a call, and reports the elapsed seconds every 10 seconds until it has ended.
 * @param token identifies the notifications; undefined if the client requests none
 * @param notify sends a notification; it may reject if the client has disconnected
 */
async function reportProgress<T>(
	token: string | number | undefined,
	notify: (notification: ProgressNotification) => Promise<void>,
	run: () => Promise<T>,
): Promise<T> {
	if (token === undefined) return run();
	const startedAt = performance.now();
	const timer = setInterval(() => {
		const seconds = Math.round((performance.now() - startedAt) / SECOND_MS);
		const message = `Waiting for ${seconds} seconds.`;
		const params = { progressToken: token, progress: seconds, message };
		notify({ method: "notifications/progress", params }).catch(() => {});
	}, PROGRESS_INTERVAL_MS);
	try {
		return await run();
	} finally {
		clearInterval(timer);
	}
}

function unsupported(requested: string, id: unknown): Response {
	const error = {
		code: ProtocolErrorCode.UnsupportedProtocolVersion,
		message: `Unsupported protocol version: ${requested}. Supported: ${VERSIONS.join(", ")}`,
		data: { supported: VERSIONS, requested },
	};
	return Response.json({ jsonrpc: "2.0", error, id }, { status: 400 });
}

function unknown(what: string): ProtocolError {
	return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${what}; ${what}s/list lists them`);
}

const MARKDOWN = "text/markdown";

/** The documents for models, as MCP lists them. They name tools instead of HTTP calls. */
const resources = [
	{
		uri: "resort://guide",
		name: "guide",
		title: "Guide to the resort",
		description: "How to stay at the resort with these tools",
		mimeType: MARKDOWN,
		read: (context: Context) => String(documentsOf(context).files.tools().content),
	},
	{
		uri: "resort://assignments",
		name: "assignments",
		title: "What to create at the resort",
		description: "Rules for public texts, and prompts",
		mimeType: MARKDOWN,
		read: assignmentsText,
	},
];

function assignmentsText(): string {
	const prompts = assignments.map(
		({ title, brief, artifact }) => `- **${title}** (\`${toolOf[artifact]}\`): ${brief}`,
	);
	const list = rules.map((rule) => `- ${rule}`);
	return ["# What to create at the resort", guidance, list.join("\n"), prompts.join("\n")].join("\n\n");
}

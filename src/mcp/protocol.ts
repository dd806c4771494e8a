/** The MCP server. It is loaded with the first message, because the library is large. */
import {
	createMcpHandler,
	type ListToolsResult,
	ProtocolError,
	ProtocolErrorCode,
	ResourceNotFoundError,
	Server,
} from "@modelcontextprotocol/server";
import { breakPrompt, instructionsFor } from "../content/mcp-texts.ts";
import { SERVICE, VERSION } from "../lib/version.ts";
import type { CallSource } from "../pipeline/call.ts";
import { handle, type Pipeline } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import { operationAt } from "../resort/operations.ts";
import { runTool } from "./run-tool.ts";
import { Toolbox } from "./toolbox.ts";

/** Answers a message in the protocol revision that the message uses. The message is the body of the request. */
export type AnswerMessage = (
	request: Request,
	message: object,
	source: CallSource,
) => Promise<Response>;

/** The documents offered to models by name, with the paths that return them over HTTP. */
const documentPaths = { guide: "/api/skill", assignments: "/api/assignments" };

/**
 * Replaces the library's validator. The library only validates elicited input with it, and this server elicits none.
 * All other input is validated by the operations.
 */
const noValidator = {
	getValidator(): never {
		throw new Error("the server elicits nothing");
	},
};

/** Creates the MCP server of an instance. */
export function createProtocol(pipeline: Pipeline): AnswerMessage {
	const { provider, registration, baseUrl } = pipeline.context;
	const toolbox = new Toolbox(pipeline.context);
	// The library's type for JSON schemas is narrower.
	const tools = toolbox.listed as unknown as ListToolsResult["tools"];
	const documents = Object.entries(documentPaths).map(([name, path]) => {
		const operation = operationAt(`GET ${path}`);
		const { summary: description, mediaTypes = [] } = operation;
		const [mimeType = "application/json"] = mediaTypes;
		const resource = { uri: baseUrl + path, name, description, mimeType };
		return { resource, operation };
	});
	const { text: promptText, ...prompt } = breakPrompt;
	const instructions = instructionsFor(provider?.url ?? null, registration);

	function serverFor(source: CallSource): Server {
		const server = new Server(
			{ name: SERVICE, title: "Agent resort", version: VERSION },
			{
				capabilities: { tools: {}, resources: {}, prompts: {} },
				instructions,
				jsonSchemaValidator: noValidator,
			},
		);
		server.setRequestHandler("tools/list", () => ({ tools }));
		server.setRequestHandler("tools/call", ({ params }) => {
			const tool = toolbox.find(params.name);
			if (tool === undefined) throw unknown("tool");
			return runTool(pipeline, toolbox, tool, params.arguments ?? {}, source);
		});
		server.setRequestHandler("resources/list", () => ({
			resources: documents.map(({ resource }) => resource),
		}));
		server.setRequestHandler("resources/templates/list", () => ({
			resourceTemplates: [],
		}));
		server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
			const found = documents.find(({ resource }) => resource.uri === uri);
			if (found === undefined) throw new ResourceNotFoundError(uri);
			const { resource, operation } = found;
			const { status, body, failure } = await handle(pipeline, {
				...{ ...source, operation, params: {}, query: {}, body: {} },
			});
			if (failure !== null) {
				source.record.refused = status;
				// The library sends the error's message as the response.
				throw new Error(JSON.stringify(failure.body));
			}
			const text = body instanceof ResponseBody ? await body.text() : "";
			return { contents: [{ uri, mimeType: resource.mimeType, text }] };
		});
		server.setRequestHandler("prompts/list", () => ({ prompts: [prompt] }));
		server.setRequestHandler("prompts/get", ({ params: { name } }) => {
			if (name !== prompt.name) throw unknown("prompt");
			return {
				description: prompt.description,
				messages: [
					{ role: "user", content: { type: "text", text: promptText } },
				],
			};
		});
		return server;
	}

	return (request, message, source) =>
		createMcpHandler(() => serverFor(source), {
			keepAliveMs: 0,
			maxSubscriptions: 0,
		}).fetch(request, { parsedBody: message });
}

function unknown(what: string): ProtocolError {
	return new ProtocolError(
		ProtocolErrorCode.InvalidParams,
		`Unknown ${what}; ${what}s/list lists them`,
	);
}

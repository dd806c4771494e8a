/** The MCP server. The first message loads this file, and with it the library. */
import {
	createMcpHandler,
	isLegacyRequest,
	type ListToolsResult,
	ProtocolError,
	ProtocolErrorCode,
	ResourceNotFoundError,
	Server,
	WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { breakPrompt } from "../content/mcp-texts.ts";
import { SERVICE, VERSION } from "../lib/version.ts";
import type { Operation } from "../resort/operation.ts";
import type { McpResource } from "./mcp-resources.ts";
import type { ToolResult } from "./run-tool.ts";
import type { ReadyTool, Toolbox } from "./toolbox.ts";
import type { Arguments } from "./tools.ts";

/** Handles the requests of one message. */
export interface MessageHandler {
	readonly toolbox: Toolbox;
	readonly resources: ReadonlyMap<McpResource, Operation>;
	/** A description of the server for models. */
	readonly instructions: string;
	perform(tool: ReadyTool, args: Arguments): Promise<ToolResult>;
	/** Returns the document that an operation returns. */
	read(operation: Operation): Promise<string>;
}

/** Operations validate all input themselves. */
const noValidator = {
	getValidator(): never {
		throw new Error("the server elicits nothing");
	},
};

/** Answers a message, the body of a request, in its own version of the protocol. */
export async function answerMessage(
	request: Request,
	message: object,
	handler: MessageHandler,
): Promise<Response> {
	const options = { parsedBody: message };
	if (!(await isLegacyRequest(request, message))) {
		const modern = createMcpHandler(() => serverFor(handler), {
			legacy: "reject",
			keepAliveMs: 0,
			maxSubscriptions: 0,
		});
		return modern.fetch(request, options);
	}
	const server = serverFor(handler);
	const transport = new WebStandardStreamableHTTPServerTransport({
		enableJsonResponse: true,
		keepAliveMs: 0,
	});
	await server.connect(transport);
	try {
		return await transport.handleRequest(request, options);
	} finally {
		await server.close();
	}
}

function serverFor(handler: MessageHandler): Server {
	const { toolbox, resources, instructions } = handler;
	// The library has a narrower type of JSON schemas.
	const tools = toolbox.listed as unknown as ListToolsResult["tools"];
	const server = new Server(
		{ name: SERVICE, title: "Agent resort", version: VERSION },
		{
			capabilities: { tools: {}, resources: {}, prompts: {} },
			instructions,
			jsonSchemaValidator: noValidator,
		},
	);
	server.setRequestHandler("tools/list", () => ({ tools }));
	server.setRequestHandler("tools/call", async ({ params }) => {
		const tool = toolbox.find(params.name);
		if (tool === undefined) throw unknown("tool");
		return { ...(await handler.perform(tool, params.arguments ?? {})) };
	});
	server.setRequestHandler("resources/list", () => ({
		resources: [...resources.keys()],
	}));
	server.setRequestHandler("resources/templates/list", () => ({
		resourceTemplates: [],
	}));
	server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
		const found = [...resources].find(([one]) => one.uri === uri);
		if (found === undefined) throw new ResourceNotFoundError(uri);
		const [{ mimeType }, operation] = found;
		const text = await handler.read(operation);
		return { contents: [{ uri, mimeType, text }] };
	});
	const { text, ...prompt } = breakPrompt;
	server.setRequestHandler("prompts/list", () => ({ prompts: [prompt] }));
	server.setRequestHandler("prompts/get", ({ params: { name } }) => {
		if (name !== prompt.name) throw unknown("prompt");
		return {
			description: prompt.description,
			messages: [{ role: "user", content: { type: "text", text } }],
		};
	});
	return server;
}

function unknown(what: string): ProtocolError {
	return new ProtocolError(
		ProtocolErrorCode.InvalidParams,
		`Unknown ${what}; ${what}s/list lists them`,
	);
}

/** The library of the protocol, and what it is told. Only the first message loads this file. */
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
import { breakPrompt, instructionsFor } from "../content/mcp.ts";
import { SERVICE, VERSION } from "../lib/version.ts";
import type { Context } from "../resort/operation.ts";
import type { ToolResult } from "./perform.ts";
import type { Resources } from "./resources.ts";
import type { ReadyTool, Toolbox } from "./toolbox.ts";
import type { Arguments } from "./tools.ts";

/** What answers one message. */
export interface Exchange {
	readonly toolbox: Toolbox;
	readonly resources: Resources;
	/** The address of the identity provider; null where agents register here. */
	readonly provider: string | null;
	/** Who may register here. */
	readonly registration: Context["registration"];
	perform(tool: ReadyTool, args: Arguments): Promise<ToolResult>;
	read(uri: string): Promise<string>;
}

/** Nothing that a client sends is judged by a schema of the library's. */
const noValidator = {
	getValidator(): never {
		throw new Error("nothing is elicited");
	},
};

/**
 * Answers one message in the era in which it is written.
 * @param request its header fields; the body has been read
 * @param message the JSON of its body
 */
export async function answerMessage(
	request: Request,
	message: object,
	exchange: Exchange,
): Promise<Response> {
	const options = { parsedBody: message };
	if (!(await isLegacyRequest(request, message))) {
		const handler = createMcpHandler(() => serverFor(exchange), {
			legacy: "reject",
			keepAliveMs: 0,
			maxSubscriptions: 0,
		});
		return handler.fetch(request, options);
	}
	const server = serverFor(exchange);
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

function serverFor(exchange: Exchange): Server {
	const { toolbox, resources, provider, registration } = exchange;
	// The library's type of a schema is that of all JSON.
	const tools = toolbox.listed as unknown as ListToolsResult["tools"];
	const server = new Server(
		{ name: SERVICE, title: "Agent resort", version: VERSION },
		{
			capabilities: { tools: {}, resources: {}, prompts: {} },
			instructions: instructionsFor(provider, registration),
			jsonSchemaValidator: noValidator,
		},
	);
	server.setRequestHandler("tools/list", () => ({ tools }));
	server.setRequestHandler("tools/call", async ({ params }) => {
		const tool = toolbox.find(params.name);
		if (tool === undefined) throw unknown("tool");
		return { ...(await exchange.perform(tool, params.arguments ?? {})) };
	});
	server.setRequestHandler("resources/list", () => ({
		resources: [...resources.listed],
	}));
	server.setRequestHandler("resources/templates/list", () => ({
		resourceTemplates: [],
	}));
	server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
		const found = resources.listed.find((one) => one.uri === uri);
		if (found === undefined) throw new ResourceNotFoundError(uri);
		const { mimeType } = found;
		return { contents: [{ uri, mimeType, text: await exchange.read(uri) }] };
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
		`Unknown ${what}; ${what}s/list tells them`,
	);
}

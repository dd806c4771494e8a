import type { Part } from "../../core/commands/feature.ts";
import { McpHandler } from "./mcp-handler.ts";

/** What the tools add to an instance. `isLocal`: whether it accepts connections from this machine only. */
export const mcpPart = (isLocal: boolean): Part => ({
	pathHints: [
		{
			paths: /^(\/api)?\/(mcp|sse|messages?)(\/|$)/i,
			hint: "The tools of the Model Context Protocol are at POST /mcp.",
		},
	],
	handlers: (transport, { operations }) => new McpHandler(transport, operations, isLocal).handlers,
});

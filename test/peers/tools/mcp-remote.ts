/** mcp-remote lets hosts that support only the stdio transport use a server on the network. */
import { expect } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { testPeer } from "../peer.ts";

testPeer("mcp-remote", ["mcp-remote@0.15.1"], async ({ env, folder, serve }) => {
	const resort = await serve();
	const client = new Client({ name: "test", version: "1" });
	const args = [`${resort.url}/mcp/`, "--transport", "http-first"];
	const server = { command: "mcp-remote", args, env: { ...env }, cwd: folder, stderr: "ignore" } as const;
	await client.connect(new StdioClientTransport(server));
	try {
		expect((await client.listTools()).tools).not.toBeEmpty();
		expect((await client.callTool({ name: "lobby", arguments: {} })).isError).not.toBe(true);
	} finally {
		await client.close();
	}
});

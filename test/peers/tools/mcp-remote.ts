import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Peer } from "../peer.ts";

/** Connects hosts that only start programs to a server on the network. */
export const mcpRemote: Peer = {
	name: "mcp-remote",
	packages: ["mcp-remote@0.15.1"],
	async run({ check, env, folder, serve }) {
		const resort = await serve();
		await check("/mcp/", "lists the tools and calls one", async () => {
			const client = new Client({ name: "test", version: "1" });
			const args = [`${resort.url}/mcp/`, "--transport", "http-first"];
			const server = { command: "mcp-remote", args, env: { ...env }, cwd: folder, stderr: "ignore" } as const;
			await client.connect(new StdioClientTransport(server));
			try {
				const { tools } = await client.listTools();
				const found = await client.callTool({ name: "lobby", arguments: {} });
				if (tools.length === 0 || found.isError === true) throw new Error(JSON.stringify(found));
			} finally {
				await client.close();
			}
		});
	},
};

import { join } from "node:path";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { executable } from "../../../support/executable.ts";

/** How a client chooses the protocol revision. */
type Mode = "legacy" | "auto" | "pinned";

const optionsOf: Record<Mode, ClientOptions> = {
	legacy: {},
	auto: { versionNegotiation: { mode: "auto" } },
	pinned: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
};

const modules = join(import.meta.dir, "../../../../node_modules");

/** The programs of the MCP Inspector and of the MCP conformance suite. */
export const programs = {
	inspector: join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
	conformance: join(modules, "@modelcontextprotocol/conformance/dist/index.js"),
} as const;

/** Connects a client of the MCP SDK over HTTP. */
export async function connect(
	url: string,
	mode: Mode,
	init: RequestInit = {},
): Promise<Client & AsyncDisposable> {
	const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
		requestInit: init,
		// Adds options such as `tls`, which only the `fetch` of the runtime supports.
		fetch: (to, own) => fetch(to, { ...init, ...own }),
	});
	const client = new Client({ name: "test", version: "1" }, optionsOf[mode]);
	await client.connect(transport);
	return disposable(client);
}

/** Connects a client of the MCP SDK to the command `mcp` of a program. The default program is `resort`. */
export async function connectByStdio(
	mode: Mode,
	args: readonly string[],
	env: Record<string, string>,
	[command = "", ...words]: readonly string[] = [executable],
): Promise<{ readonly client: Client & AsyncDisposable; readonly pid: number; stderr(): string }> {
	const own = { command, args: [...words, "mcp", ...args], env };
	const transport = new StdioClientTransport({ ...own, stderr: "pipe" });
	let told = "";
	transport.stderr?.on("data", (chunk) => {
		told += chunk;
	});
	const client = new Client({ name: "test", version: "1" }, optionsOf[mode]);
	await client.connect(transport);
	const pid = transport.pid ?? 0;
	return { client: disposable(client), pid, stderr: () => told };
}

function disposable(client: Client): Client & AsyncDisposable {
	return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

import { homedir } from "node:os";
import { readConfiguration } from "../client/configuration.ts";
import { Failure } from "../client/failure.ts";
import { prompt } from "../client/world.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { StartError } from "../lib/start-error.ts";
import { MCP_PATH } from "../mcp/mcp-path.ts";
import { Bridge } from "./bridge.ts";
import { parseFlags } from "./flags.ts";
import { print } from "./print.ts";

/** How long calls under way may take once the client has closed stdin; then it kills. */
const GRACE_MS = SECOND_MS;

/** The longest line that is read, in characters; the resort takes far less. */
const MAX_LINE = 1024 * 1024;

/** The flags of `resort mcp`. */
export const mcpFlags = {
	url: { value: "URL", help: "address of the resort, with or without /mcp" },
	config: { value: "FILE", help: "configuration of the client" },
	insecure: { help: "allow http: to other machines" },
};

/**
 * `resort mcp`: carries messages of the Model Context Protocol between stdin and stdout and a resort, until stdin
 * ends.
 * @throws StartError with exit code 2 when no address is given or it may not be used, 1 when the configuration of
 * the client is broken
 */
export async function mcp(args: readonly string[]): Promise<void> {
	const flags = parseFlags("mcp", args, mcpFlags);
	const { url, apiKey } = addressed(flags);
	const bridge = new Bridge(url + MCP_PATH, apiKey, (line) =>
		print(`${line}\n`),
	);
	for await (const line of linesOf(Bun.stdin.stream())) {
		await bridge.carry(line);
	}
	await bridge.end(GRACE_MS);
	process.exit(0);
}

/** Where messages go, and with which key: as the client decides. */
function addressed({
	url: given,
	config,
	insecure,
}: ReturnType<typeof parseFlags>) {
	try {
		const { url, key, warnings } = readConfiguration({
			// Whoever has the door's address at hand gives that.
			url: given?.replace(/\/mcp\/*$/, ""),
			config,
			insecure: insecure !== undefined,
			env: process.env,
			home: homedir(),
		});
		// Hosts keep what is told here in their logs; stdout is for messages.
		for (const warning of warnings) prompt(`warning: ${warning}\n`);
		if (url !== null) return { url, apiKey: key };
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		throw new StartError(error.told, error.exitCode === 2 ? 2 : 1);
	}
	throw new StartError(
		"no resort: give --url, RESORT_API_URL, or a configuration of the client: ~/.agent-resort.json, or --config FILE",
		2,
	);
}

/**
 * The lines of a stream.
 * @throws StartError with exit code 1 when one is longer than any message
 */
async function* linesOf(
	stream: ReadableStream<Uint8Array>,
): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		rest += decoder.decode(chunk, { stream: true });
		const lines = rest.split("\n");
		rest = lines.pop() ?? "";
		if (rest.length > MAX_LINE) {
			throw new StartError("a line on stdin is too long", 1);
		}
		yield* lines;
	}
	yield rest;
}

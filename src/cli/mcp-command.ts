import { Failure } from "../command-line-client/client-failure.ts";
import {
	type Configuration,
	readConfiguration,
} from "../command-line-client/configuration.ts";
import {
	type Answer,
	MAX_WAIT_SECONDS,
	send,
} from "../command-line-client/send-message.ts";
import { report } from "../command-line-client/terminal.ts";
import type { Flags } from "../config/setting-sources.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { parseObject } from "../lib/record.ts";
import { SettingError } from "../lib/start-error.ts";
import { printJson } from "./print.ts";
import type { Command } from "./resort-command.ts";

/**
 * The time limit for running calls after the client has closed stdin. Clients kill a program that does not exit soon
 * after.
 */
const GRACE_MS = SECOND_MS;

/** The maximum number of concurrent calls. When it is reached, no message is read until a call has ended. */
const MAX_CALLS = 64;

/** The field of a message that contains the protocol version, since version 2026-07-28. */
const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";

const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;

/** `resort mcp` */
export const mcp: Command = {
	summary: "Connect an MCP client on stdin and stdout to a resort",
	about: `Forwards Model Context Protocol messages between stdin and stdout and a resort, for clients that start
programs. Exits when stdin ends. Only messages go to stdout.

Without --url the address is RESORT_API_URL, or the one in the configuration of the command-line client,
~/.agent-resort.json ({"apiKey","agentId","apiUrl"}). Its key goes only to the origin that it was stored for;
RESORT_API_KEY goes to the address in use. Without a key, every tool accepts one as its argument apiKey.`,
	words: "",
	flags: {
		url: { value: "URL", help: "address of the resort, with or without /mcp" },
		config: { value: "FILE", help: "configuration of the client" },
		insecure: { help: "allow http: to other machines" },
	},
	async run({ flags }) {
		const { url, key } = configurationOf(flags);
		const endpoint = new URL(`${url}/mcp`);
		const calls = new Set<Call>();
		const ends = () => [...calls].map(({ ended }) => ended);
		for await (const line of console) {
			if (line.trim() === "") continue;
			const message: Message | null = parseObject(line);
			if (message === null) {
				refuse(null, PARSE_ERROR, "Not a JSON object");
			} else if (message.method === "notifications/cancelled") {
				const id = message.params?.requestId;
				for (const call of calls) {
					if (call.id !== undefined && call.id === id) call.aborter.abort();
				}
			} else {
				const aborter = new AbortController();
				const { signal } = aborter;
				const ended = carry(message, { endpoint, key, line, signal });
				const call: Call = { id: message.id, aborter, ended };
				calls.add(call);
				ended.finally(() => calls.delete(call));
				if (calls.size >= MAX_CALLS) await Promise.race(ends());
			}
		}
		await Promise.race([Promise.all(ends()), Bun.sleep(GRACE_MS)]);
		process.exit(0);
	},
};

function configurationOf(flags: Flags): Configuration {
	const url = flags.url?.replace(/\/mcp\/*$/, "");
	const configuration = readConfiguration(
		{ ...flags, ...(url !== undefined && { url }) },
		process.env,
	);
	for (const warning of configuration.warnings) report(`warning: ${warning}`);
	if (configuration.url !== null) return configuration;
	throw new SettingError(
		"no resort is configured: set --url or RESORT_API_URL, or use a client configuration (~/.agent-resort.json or --config FILE)",
	);
}

interface Message {
	readonly id?: string | number;
	readonly method?: string;
	readonly params?: {
		readonly name?: unknown;
		readonly uri?: unknown;
		readonly requestId?: string | number;
		readonly _meta?: Readonly<Record<string, unknown>>;
	};
}

interface Call {
	readonly id: Message["id"];
	readonly aborter: AbortController;
	readonly ended: Promise<void>;
}

/** A message of the client and its destination. */
interface Sending {
	readonly endpoint: URL;
	readonly key: string | null;
	readonly line: string;
	readonly signal: AbortSignal;
}

/**
 * Sends a message and prints the response. Like the command-line client, it never sends the key through a proxy, after
 * a redirect, or to a server with an invalid certificate. The transports of the MCP library do not guarantee this.
 */
async function carry(
	message: Message,
	{ endpoint, key, line, signal }: Sending,
): Promise<void> {
	const { id = null, method } = message;
	try {
		const answer = await send({
			method: "POST",
			url: endpoint,
			key,
			body: line,
			headers: headersOf(message),
			waitSeconds: MAX_WAIT_SECONDS,
			signal,
		});
		if (method === undefined || id === null) return;
		const response = parseObject(answer.body);
		if (response === null || !("jsonrpc" in response)) {
			return refuse(id, INTERNAL_ERROR, describe(endpoint, answer));
		}
		// If the resort could not parse the message, its response has no id.
		printJson({ ...response, id: response.id ?? id });
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		if (signal.aborted || id === null) return;
		refuse(id, INTERNAL_ERROR, error.withHint);
	}
}

function refuse(
	id: string | number | null,
	code: number,
	message: string,
): void {
	printJson({ jsonrpc: "2.0", id, error: { code, message } });
}

function headersOf({ method, params }: Message): Record<string, string> {
	const version = params?._meta?.[VERSION_FIELD];
	if (typeof version !== "string") return {};
	const name = params?.name ?? params?.uri;
	return {
		"mcp-protocol-version": headerValue(version),
		"mcp-method": headerValue(String(method)),
		...(typeof name === "string" && { "mcp-name": headerValue(name) }),
	};
}

function describe({ href }: URL, { status, headers }: Answer): string {
	const seconds = headers["retry-after"];
	const hint = seconds === undefined ? "" : `: wait ${seconds} seconds`;
	return `${href} returned ${status}${hint}`;
}

/** Encodes a text for a header field as the Model Context Protocol requires. */
function headerValue(text: string): string {
	return /^[!-~]([ -~]*[!-~])?$/.test(text)
		? text
		: `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

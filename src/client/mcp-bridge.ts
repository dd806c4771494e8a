import { createInterface } from "node:readline";
import { SECOND_MS } from "../core/lib/clock.ts";
import { parseObject } from "../core/lib/record.ts";
import { UsageError } from "../core/lib/start-error.ts";
import type { Command } from "./client-command.ts";
import { ReaderGone } from "./client-failure.ts";
import type { Configuration } from "./configuration.ts";
import { readBlocks } from "./event-stream.ts";
import { type Message as HttpMessage, notReachable, open, readWhole } from "./send-message.ts";
import { print } from "./terminal.ts";

/**
 * The time limit for running calls after stdin was closed. It is short, because MCP clients kill a program
 * that does not exit soon.
 */
const GRACE_MS = SECOND_MS;

/** The maximum number of concurrent calls. When it is reached, no message is read until a call has ended. */
const MAX_CALLS = 64;

/** The name of the field in which a message states the protocol version, from version 2026-07-28 on. */
const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";

const EVENT_STREAM = "text/event-stream";

const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;

/** `mcp`: the bridge. It is also a command of the server program, `resort mcp`. */
export const mcp: Command = {
	summary: "Connect an MCP client to a resort through stdin and stdout",
	about: `For MCP clients that start servers as local programs (stdio). Exits when stdin ends. Only messages go to stdout.
Without a key, tools that need one accept it as the argument apiKey.`,
	words: "",
	flags: { url: { value: "URL", help: "address of the resort, with or without /mcp" } },
	example: "--url https://resort.example.com",
	run: ({ configuration }) => carryMessages(configuration()),
};

/** Forwards messages from stdin to a resort, and prints the responses. @throws UsageError if `url` is null */
async function carryMessages({ url, key }: Pick<Configuration, "url" | "key">): Promise<void> {
	if (url === null) {
		throw new UsageError(
			"no resort is configured: set --url or RESORT_API_URL, or use a client configuration (~/.agent-resort.json or --config FILE)",
		);
	}
	const endpoint = new URL(`${url.replace(/\/mcp$/, "")}/mcp`);
	/** The running calls, by the promise that resolves when the call has ended. */
	const calls = new Map<Promise<void>, { id: Message["id"]; aborter: AbortController }>();
	for await (const line of createInterface({ input: process.stdin })) {
		if (line.trim() === "") continue;
		const message: Message | null = parseObject(line);
		if (message === null) {
			refuse(null, PARSE_ERROR, "Not a JSON object");
		} else if (message.method === "notifications/cancelled") {
			const id = message.params?.requestId;
			for (const call of calls.values()) {
				if (id !== undefined && call.id === id) call.aborter.abort();
			}
		} else {
			const aborter = new AbortController();
			const ended = carry(message, { url: endpoint, key, body: line, signal: aborter.signal });
			calls.set(ended, { id: message.id, aborter });
			ended.finally(() => calls.delete(ended));
			if (calls.size >= MAX_CALLS) await Promise.race(calls.keys());
		}
	}
	const late = setTimeout(() => {
		for (const { aborter } of calls.values()) aborter.abort();
	}, GRACE_MS);
	await Promise.all(calls.keys());
	clearTimeout(late);
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

/**
 * Sends a message and prints the response. Unlike the transports of the MCP library, this function never
 * sends the key through a proxy, after a redirect, or to a server with an invalid certificate.
 */
async function carry(
	message: Message,
	request: Pick<HttpMessage, "url" | "key" | "body" | "signal">,
): Promise<void> {
	const { url, signal } = request;
	const { id = null, method } = message;
	try {
		const answer = await open({
			...request,
			method: "POST",
			headers: { ...headersOf(message), accept: `application/json, ${EVENT_STREAM}` },
		});
		const { statusCode, headers } = answer;
		if (headers["content-type"]?.startsWith(EVENT_STREAM)) {
			for await (const { data } of readBlocks(answer)) {
				if (data !== "") printLine(data);
			}
			return;
		}
		const { body } = await readWhole(url, answer);
		if (method === undefined || id === null) return;
		const response = parseObject(body);
		if (response === null || !("jsonrpc" in response)) {
			const seconds = headers["retry-after"];
			const hint = seconds === undefined ? "" : `: wait ${seconds} seconds`;
			const reason = `${url.href} returned ${statusCode}${hint}`;
			return refuse(id, INTERNAL_ERROR, reason);
		}
		// If the resort could not parse the message, the response has no id, so the id of the message is used.
		printLine(JSON.stringify({ ...response, id: response.id ?? id }));
	} catch (error) {
		if (signal?.aborted || id === null) return;
		// Also reached if an event stream breaks off or cannot be read. Only this call fails, and others
		// continue.
		refuse(id, INTERNAL_ERROR, notReachable(url, error).withHint);
	}
}

function refuse(id: string | number | null, code: number, message: string): void {
	printLine(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}

/** Prints a message, or discards it if the MCP client has closed stdout. In this case, stdin ends too. */
function printLine(line: string): void {
	try {
		print(`${line}\n`);
	} catch (error) {
		if (!(error instanceof ReaderGone)) throw error;
	}
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

/** Encodes a text for a header field as the Model Context Protocol requires. */
function headerValue(text: string): string {
	return /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

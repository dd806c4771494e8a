import { Failure } from "../client/client-failure.ts";
import { type Answer, MAX_WAIT_SECONDS, send } from "../client/send-message.ts";
import { parseObject } from "../lib/record.ts";

/** The most calls at a time. No message is read until one of them has ended. */
const MAX_CALLS = 64;

/** The field with the protocol version of a message, since version 2026-07-28. */
const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";

const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;

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

/**
 * Carries messages between a client that writes lines and the MCP endpoint of a resort. It sends as the command-line
 * client does: the key goes to no proxy, no redirect and no server with an invalid certificate. The transports of the
 * MCP library do not ensure this.
 */
export function openBridge(
	url: URL,
	key: string | null,
	write: (line: string) => void,
) {
	const calls = new Set<Call>();
	const ends = () => [...calls].map(({ ended }) => ended);

	const refuse = (id: Message["id"] | null, code: number, message: string) =>
		write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));

	async function sendMessage(
		line: string,
		message: Message,
		signal: AbortSignal,
	): Promise<void> {
		const { id = null } = message;
		try {
			const answer = await send({
				method: "POST",
				url,
				key,
				body: line,
				headers: headersOf(message),
				waitSeconds: MAX_WAIT_SECONDS,
				signal,
			});
			if (message.method === undefined || message.id === undefined) return;
			const response = parseObject(answer.body);
			if (response === null || !("jsonrpc" in response)) {
				return refuse(id, INTERNAL_ERROR, describe(url, answer));
			}
			// The response to a message that was not parsed has no id.
			write(JSON.stringify({ ...response, id: response.id ?? id }));
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			if (signal.aborted || message.id === undefined) return;
			refuse(id, INTERNAL_ERROR, error.withHint);
		}
	}

	return {
		/** Carries a message. Resolves as soon as another one may follow. */
		async carry(line: string): Promise<void> {
			if (line.trim() === "") return;
			const message: Message | null = parseObject(line);
			if (message === null) {
				return refuse(null, PARSE_ERROR, "Not a JSON object");
			}
			if (message.method === "notifications/cancelled") {
				const id = message.params?.requestId;
				for (const call of calls) {
					if (call.id !== undefined && call.id === id) call.aborter.abort();
				}
				return;
			}
			const aborter = new AbortController();
			const ended = sendMessage(line, message, aborter.signal);
			const call: Call = { id: message.id, aborter, ended };
			calls.add(call);
			ended.finally(() => calls.delete(call));
			if (calls.size >= MAX_CALLS) await Promise.race(ends());
		},

		/** Waits for the calls that have not ended, then cancels the rest. */
		async end(graceMs: number): Promise<void> {
			await Promise.race([Promise.all(ends()), Bun.sleep(graceMs)]);
			for (const { aborter } of calls) aborter.abort();
		},
	};
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
	return `${href} answers ${status}${hint}`;
}

/** Encodes a text for a header field as the protocol demands. */
function headerValue(text: string): string {
	return /^[!-~]([ -~]*[!-~])?$/.test(text)
		? text
		: `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

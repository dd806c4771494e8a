import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { SECOND_MS } from "../lib/clock.ts";
import { codeOf, messageOf } from "../lib/error-reason.ts";
import { VERSION } from "../lib/version.ts";
import { Failure } from "./client-failure.ts";
import { clean } from "./terminal-text.ts";

/** How long nothing may come of an answer. */
const SILENCE_MS = 30 * SECOND_MS;

/** The most bytes of an answer that are read. */
const MAX_BYTES = 64 * 1024 * 1024;

/** How much of the address is told that a redirect leads to, in characters. */
const MAX_PLACE = 200;

/** What is sent. */
export interface Message {
	readonly method: string;
	readonly url: URL;
	/** Goes to that address and to no other; null for none. */
	readonly key: string | null;
	/** Sent as JSON; a text is JSON already. Nothing when undefined. */
	readonly body?: object | string | undefined;
	readonly headers?: Readonly<Record<string, string>>;
	/** How long the service may wait before it answers, in seconds. */
	readonly waitSeconds?: number;
	/** Ends the call. */
	readonly signal?: AbortSignal;
}

/** An answer that has come whole. */
export interface Answer {
	readonly status: number;
	readonly headers: IncomingMessage["headers"];
	readonly body: Buffer;
}

/**
 * Sends a message and gives the answer as it begins. Not by `fetch`, which costs more at the start, follows redirects
 * and, in Bun, hands messages to a proxy of the environment: the key goes to the address that is told, and nowhere else.
 * @throws Failure with exit code 7 when nobody answers, 1 for a redirect
 */
export async function open(message: Message): Promise<IncomingMessage> {
	const { method, url, key, body, headers, waitSeconds = 0, signal } = message;
	const isSafe = url.protocol === "https:";
	const { request } = isSafe
		? await import("node:https")
		: await import("node:http");
	const text = typeof body === "object" ? JSON.stringify(body) : body;
	const options: RequestOptions & { rejectUnauthorized: boolean } = {
		method,
		agent: false,
		rejectUnauthorized: true,
		...(signal && { signal }),
		headers: {
			accept: "application/json",
			"user-agent": `agent-resort/${VERSION}`,
			...headers,
			...(key !== null && { authorization: `Bearer ${key}` }),
			...(text !== undefined && {
				"content-type": "application/json",
				"content-length": String(Buffer.byteLength(text)),
			}),
		},
	};
	const answer = await new Promise<IncomingMessage>((resolve, reject) => {
		const sent: ClientRequest = request(url, options, resolve);
		sent.setTimeout(SILENCE_MS + waitSeconds * SECOND_MS, () =>
			sent.destroy(new Error("no answer in time")),
		);
		sent.on("error", reject);
		sent.end(text);
	}).catch((error: unknown) => {
		throw notReachable(url, error);
	});
	const { statusCode = 0 } = answer;
	if (statusCode >= 300 && statusCode < 400) {
		answer.destroy();
		const place = clean(answer.headers.location ?? "").slice(0, MAX_PLACE);
		throw new Failure(
			`${url.origin} answers ${statusCode}${place && `, which leads to ${place}`}; redirects are not followed`,
			1,
			"give the address that answers itself",
		);
	}
	return answer;
}

/**
 * Sends a message and reads the whole answer.
 * @throws Failure as {@link open}, and when the answer breaks off
 */
export async function send(message: Message): Promise<Answer> {
	return readWhole(message.url, await open(message));
}

/**
 * Reads the whole of an answer that has begun.
 * @throws Failure when it breaks off or has no end
 */
export async function readWhole(
	url: URL,
	answer: IncomingMessage,
): Promise<Answer> {
	const parts: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const part of answer) {
			bytes += part.length;
			if (bytes > MAX_BYTES) {
				answer.destroy();
				throw new Failure(`${url.origin} answers without end`, 1);
			}
			parts.push(part);
		}
	} catch (error) {
		throw notReachable(url, error);
	}
	if (!answer.complete) {
		throw notReachable(url, new Error("the answer broke off"));
	}
	return {
		status: answer.statusCode ?? 0,
		headers: answer.headers,
		body: Buffer.concat(parts),
	};
}

/** A failure of the connection; one that is told already stays as it is. */
export function notReachable(url: URL, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const why = codeOf(error) || messageOf(error);
	return new Failure(`${url.origin} is not reachable (${why})`, 7);
}

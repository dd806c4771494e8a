import type { ClientRequest, IncomingMessage } from "node:http";
import { SECOND_MS } from "../core/lib/clock.ts";
import { codeOf, messageOf } from "../core/lib/error-reason.ts";
import { clean } from "../core/lib/readable-text.ts";
import { VERSION } from "../core/lib/version.ts";
import { Failure } from "./client-failure.ts";

/** The maximum value of `wait`, in seconds: the time for which the resort may delay a response. */
export const MAX_WAIT_SECONDS = 60;

/** The time without data after which the connection is closed. */
const IDLE_TIMEOUT_MS = (MAX_WAIT_SECONDS + 15) * SECOND_MS;

const MAX_BYTES = 64 * 1024 * 1024;

const MAX_SHOWN = 200;

/** An HTTP request. */
export interface Message {
	readonly method: string;
	readonly url: URL;
	/** The key, which is sent only to the server in `url`; null for a request without a key. */
	readonly key: string | null;
	/** The request body: an object is sent as JSON, a string is JSON already. Undefined for no body. */
	readonly body?: object | string | undefined;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal | undefined;
}

/** A complete response. */
export interface Answer {
	readonly status: number;
	readonly headers: IncomingMessage["headers"];
	readonly body: Buffer;
}

/**
 * Sends a request. Resolves with the response when its header fields have arrived. Does not use `fetch`,
 * which starts more slowly and would send the key to other addresses: `fetch` follows redirects and, in Bun,
 * uses the proxies that environment variables name.
 * @throws Failure with exit code 7 if there is no response, 1 for a redirect
 */
export async function open(message: Message): Promise<IncomingMessage> {
	const { method, url, key, body, headers, signal } = message;
	const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
	const text = typeof body === "object" ? JSON.stringify(body) : body;
	const options = {
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
		sent.setTimeout(IDLE_TIMEOUT_MS, () => sent.destroy(new Error("no response in time")));
		sent.on("error", reject);
		sent.end(text);
	}).catch((error: unknown) => {
		throw notReachable(url, error);
	});
	const { statusCode = 0 } = answer;
	if (statusCode < 300 || statusCode >= 400) return answer;
	answer.destroy();
	const target = clean(answer.headers.location ?? "").slice(0, MAX_SHOWN);
	throw new Failure(
		`${url.origin} returned ${statusCode}${target && `, a redirect to ${target}`}; redirects are not followed`,
		1,
		"use the address that the redirect points to",
	);
}

/** Reads the rest of a response. @throws Failure if it is incomplete or too large */
export async function readWhole(url: URL, answer: IncomingMessage): Promise<Answer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of answer) {
			bytes += chunk.length;
			if (bytes > MAX_BYTES) {
				answer.destroy();
				throw new Failure(`${url.origin} sent a response that is too large`, 1);
			}
			chunks.push(chunk);
		}
		if (!answer.complete) throw new Error("the response is incomplete");
	} catch (error) {
		throw notReachable(url, error);
	}
	const { statusCode: status = 0, headers } = answer;
	return { status, headers, body: Buffer.concat(chunks) };
}

/** Returns the failure for a connection error. */
export function notReachable(url: URL, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const reason = codeOf(error) || messageOf(error);
	return new Failure(`${url.origin} is not reachable (${reason})`, 7);
}

import { SECOND_MS } from "../../lib/clock.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_RETRY_SECONDS = 60;

/** How long to wait before the provider is asked again, when it does not say. */
export const RETRY_SECONDS = 5;
/** How long the provider may take for a whole answer (decisions 7.2). */
export const TIMEOUT_MS = 2 * SECOND_MS;

/** How to reach the provider. */
export interface Connection {
	readonly fetch: typeof fetch;
	readonly timeoutMs: number;
}

/** Why there is no answer, and when to ask again. */
export interface Outage {
	/** A few words for the log; nothing of the question or the answer but its status. */
	readonly reason: string;
	/** Whole and at least 1. */
	readonly retryAfterSeconds: number;
}

/** What came back: JSON with status 200, or nothing that counts. */
export type Reply = { readonly json: unknown } | Outage;

/**
 * Asks the provider's introspection endpoint (RFC 7662 section 2.1). Never fails: silence, another status, a
 * redirect, more than 64 KiB and what is no JSON are all no answer.
 * @param endpoint its whole address
 * @param password of the Basic user `resort`
 */
export async function askProvider(
	connection: Connection,
	endpoint: string,
	password: string,
	key: string,
): Promise<Reply> {
	try {
		const response = await connection.fetch(endpoint, {
			method: "POST",
			headers: {
				accept: "application/json",
				// A small answer that unpacks to a huge one is unreadable instead.
				"accept-encoding": "identity",
				authorization: `Basic ${btoa(`resort:${password}`)}`,
			},
			body: new URLSearchParams({ token: key, token_type_hint: "api_key" }),
			decompress: false,
			redirect: "manual",
			signal: AbortSignal.timeout(connection.timeoutMs),
		});
		if (response.status === 200) return { json: await readJson(response) };
		dismiss(response);
		return {
			reason: `HTTP ${response.status}`,
			retryAfterSeconds: retryAfterSeconds(response),
		};
	} catch (error) {
		return { reason: reasonOf(error), retryAfterSeconds: RETRY_SECONDS };
	}
}

/** Whether the provider gives any HTTP answer at all to a GET. */
export async function answers(
	{ fetch, timeoutMs }: Connection,
	url: string,
): Promise<boolean> {
	try {
		const signal = AbortSignal.timeout(timeoutMs);
		dismiss(await fetch(url, { redirect: "manual", signal }));
		return true;
	} catch {
		return false;
	}
}

/** @throws when the body is too long, ends early, or is no JSON in UTF-8 */
async function readJson(response: Response): Promise<unknown> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let text = "";
	let bytes = 0;
	// Leaving the loop by an error cancels the rest.
	for await (const chunk of response.body ?? []) {
		bytes += chunk.byteLength;
		if (bytes > MAX_ANSWER_BYTES) throw new RangeError("too long");
		text += decoder.decode(chunk, { stream: true });
	}
	return JSON.parse(text + decoder.decode());
}

/** Names a failure; its message may quote the answer, and so is not told. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return "no readable answer";
	if (error.name === "TimeoutError") return "no answer in time";
	const hasCode = "code" in error && typeof error.code === "string";
	return hasCode ? `no answer: ${error.code}` : "no readable answer";
}

/** Lets go of an answer of which no more is wanted, whatever became of its connection. */
function dismiss(response: Response): void {
	response.body?.cancel().catch(() => undefined);
}

/** What a provider that is asked too often says, when it is a whole number of seconds up to 60. */
function retryAfterSeconds(response: Response): number {
	const said = response.headers.get("retry-after") ?? "";
	const seconds = /^\d{1,2}$/.test(said) ? Number(said) : 0;
	const isSane = seconds >= 1 && seconds <= MAX_RETRY_SECONDS;
	return response.status === 429 && isSane ? seconds : RETRY_SECONDS;
}

import { SECOND_MS } from "../../lib/clock.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_RETRY_SECONDS = 60;

/** How long to wait before the provider is asked again, when it does not say. */
export const RETRY_SECONDS = 5;
/** How long the provider may take for a whole answer. */
export const TIMEOUT_MS = 2 * SECOND_MS;

/** The provider's introspection endpoint, and how it is asked. */
export interface ProviderEndpoint {
	/** Its whole address. */
	readonly url: string;
	/** Of the Basic user `resort`. */
	readonly password: string;
	readonly fetch: typeof fetch;
	/** For a whole answer. */
	readonly timeoutMs: number;
}

/** Why there is no answer, and when to ask again. */
export interface Outage {
	/** A few words for the log; nothing of the question or the answer but its status. */
	readonly reason: string;
	/** Whole and at least 1. */
	readonly retryAfterSeconds: number;
}

/** What the provider answered: JSON with status 200, or nothing that counts. */
export type Reply = { readonly json: unknown } | Outage;

/**
 * Asks the provider's introspection endpoint (RFC 7662 section 2.1). Never fails: silence, another status than 200,
 * a redirect, more than 64 KiB and a body that is not JSON all count as no answer.
 */
export async function askProvider(
	{ url, password, fetch, timeoutMs }: ProviderEndpoint,
	key: string,
): Promise<Reply> {
	try {
		const response = await fetch(url, {
			method: "POST",
			headers: {
				accept: "application/json",
				// With `decompress: false` an answer that would unpack to a huge one is unreadable instead.
				"accept-encoding": "identity",
				authorization: `Basic ${btoa(`resort:${password}`)}`,
			},
			body: new URLSearchParams({ token: key, token_type_hint: "api_key" }),
			decompress: false,
			redirect: "manual",
			signal: AbortSignal.timeout(timeoutMs),
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

/** Whether the provider gives any HTTP answer at all to a GET of an address. */
export async function answers(
	{ fetch, timeoutMs }: ProviderEndpoint,
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

/** Names a failure without its message, which may quote the answer. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return "no readable answer";
	if (error.name === "TimeoutError") return "no answer in time";
	const hasCode = "code" in error && typeof error.code === "string";
	return hasCode ? `no answer: ${error.code}` : "no readable answer";
}

/** Drops the rest of an answer; its connection may have failed already. */
function dismiss(response: Response): void {
	response.body?.cancel().catch(() => undefined);
}

/** The `Retry-After` of a 429 when it is a whole number of seconds up to 60, else the usual time. */
function retryAfterSeconds(response: Response): number {
	const said = response.headers.get("retry-after") ?? "";
	const seconds = /^\d{1,2}$/.test(said) ? Number(said) : 0;
	const isSane = seconds >= 1 && seconds <= MAX_RETRY_SECONDS;
	return response.status === 429 && isSane ? seconds : RETRY_SECONDS;
}

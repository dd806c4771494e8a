import { SECOND_MS } from "../../core/lib/clock.ts";
import { ResortError } from "../../core/lib/resort-error.ts";

const MAX_RESPONSE_BYTES = 64 * 1024;

/** The delay before the next request to the provider after a failure without a valid `Retry-After`. */
export const RETRY_SECONDS = 5;
/** The time limit for a complete response. */
export const TIMEOUT_MS = 2 * SECOND_MS;

/** The provider's introspection endpoint. */
export interface ProviderEndpoint {
	readonly url: string;
	/** The password of the HTTP Basic user `resort`. */
	readonly password: string;
	readonly fetch: typeof fetch;
	/** False if the provider is on this machine, which no proxy of the environment can reach. */
	readonly proxy: false | undefined;
	/** The time limit for a complete response. */
	readonly timeoutMs: number;
}

/**
 * Creates the error for a provider that does not respond.
 * @param reason a few words for the log. They contain nothing of the request, and nothing of the response
 * except its status
 */
export function outage(reason: string, retryAfterSeconds = RETRY_SECONDS): ResortError {
	const error = new ResortError("unavailable", "Identity provider unavailable", { retryAfterSeconds });
	return Object.assign(error, { cause: reason });
}

/**
 * Sends an introspection request (RFC 7662 section 2.1).
 * @returns the JSON of the response
 * @throws the error of {@link outage} after a timeout, a redirect, a status other than 200, or a body that is
 * over 64 KiB or not JSON
 */
export async function requestIntrospection(
	{ url, password, fetch, proxy, timeoutMs }: ProviderEndpoint,
	key: string,
): Promise<unknown> {
	try {
		const response = await fetch(url, {
			method: "POST",
			headers: {
				accept: "application/json",
				// A small compressed response could decompress to a huge one. If the response is compressed
				// nevertheless, `decompress: false` leaves it compressed, so it is not valid JSON.
				"accept-encoding": "identity",
				authorization: `Basic ${btoa(`resort:${password}`)}`,
			},
			body: new URLSearchParams({ token: key, token_type_hint: "api_key" }),
			decompress: false,
			redirect: "manual",
			proxy,
			signal: AbortSignal.timeout(timeoutMs),
		});
		if (response.status === 200) return await readJson(response);
		dismiss(response);
		throw outage(`HTTP ${response.status}`, retryAfterSeconds(response));
	} catch (error) {
		throw error instanceof ResortError ? error : outage(reasonOf(error));
	}
}

/** Whether the provider returns any response to a GET request for a URL within the time limit. */
export async function isReachable(
	{ fetch, proxy, timeoutMs }: ProviderEndpoint,
	url: string,
): Promise<boolean> {
	try {
		const signal = AbortSignal.timeout(timeoutMs);
		dismiss(await fetch(url, { redirect: "manual", proxy, signal }));
		return true;
	} catch {
		return false;
	}
}

/** @throws Error if the body is too long, incomplete, or not JSON in UTF-8 */
async function readJson(response: Response): Promise<unknown> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let text = "";
	let bytes = 0;
	// An error thrown inside the loop cancels the rest of the body.
	for await (const chunk of response.body ?? []) {
		bytes += chunk.byteLength;
		if (bytes > MAX_RESPONSE_BYTES) throw new RangeError("too long");
		text += decoder.decode(chunk, { stream: true });
	}
	return JSON.parse(text + decoder.decode());
}

/** Returns the reason of a failure without the error's message, which may quote the response. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return "unreadable response";
	if (error.name === "TimeoutError") return "no response in time";
	const hasCode = "code" in error && typeof error.code === "string";
	return hasCode ? `no response: ${error.code}` : "unreadable response";
}

/** Discards the rest of a response, and ignores errors of its connection. */
function dismiss({ body }: Response): void {
	body?.cancel().catch(() => undefined);
}

/**
 * Returns the seconds in the `Retry-After` of a response with status 429, if they are a whole number from 1
 * to 60. Returns {@link RETRY_SECONDS} for all other responses.
 */
function retryAfterSeconds({ status, headers }: Response): number {
	const field = headers.get("retry-after") ?? "";
	return status === 429 && /^([1-9]|[1-5]\d|60)$/.test(field) ? Number(field) : RETRY_SECONDS;
}

import { SECOND_MS } from "../../core/lib/clock.ts";
import { codeOf } from "../../core/lib/error-reason.ts";
import { isRecord } from "../../core/lib/record.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import { codePoints, isStorable } from "../../core/lib/text.ts";

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
	/** False if the provider is on this machine, because a proxy set in the environment could not reach it. */
	readonly proxy: false | undefined;
	/** The time limit for a complete response. */
	readonly timeoutMs: number;
}

/**
 * Creates the error for a provider that is not available.
 * @param reason a few words for the log; contains nothing from the request, and from a response only its
 * status
 */
export function outage(reason: string, retryAfterSeconds = RETRY_SECONDS): ResortError {
	const error = new ResortError("unavailable", "Identity provider unavailable", { retryAfterSeconds });
	return Object.assign(error, { cause: reason });
}

/**
 * Sends an introspection request (RFC 7662 section 2.1). Returns the JSON of the response.
 * @throws the error from {@link outage} after a timeout, a redirect, a status other than 200, or a body that
 * is over 64 KiB or not JSON
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

/** Returns the reason for a failure without the error's message, which may quote the response. */
function reasonOf(error: unknown): string {
	if (error instanceof DOMException && error.name === "TimeoutError") return "no response in time";
	const code = codeOf(error);
	return code === "" ? "unreadable response" : `no response: ${code}`;
}

/** Discards the rest of a response, and ignores errors of its connection. */
function dismiss({ body }: Response): void {
	body?.cancel().catch(() => undefined);
}

/** Returns `Retry-After` if the status is 429 and the value is 1 to 60, else {@link RETRY_SECONDS}. */
function retryAfterSeconds({ status, headers }: Response): number {
	const field = headers.get("retry-after") ?? "";
	return status === 429 && /^([1-9]|[1-5]\d|60)$/.test(field) ? Number(field) : RETRY_SECONDS;
}

const RESORT = "resort";
const SCOPE = "resort:use";
const MAX_SUBJECT_LENGTH = 255;
/** The maximum length of a cached username, in UTF-16 units. The name of an agent is shorter. */
const MAX_USERNAME_LENGTH = 1_000;

/** The owner of a central key. */
export interface Identity {
	/** The provider's URL without a trailing slash. */
	readonly issuer: string;
	/** 1 to 255 code points without control characters. */
	readonly subject: string;
	/** The provider's username, truncated to 1,000 characters. It may contain any character. */
	readonly username: string | null;
}

const NEVER_MS = Number.POSITIVE_INFINITY;

/**
 * Parses the body of an introspection response (RFC 7662 section 2.2). Accepts a key that is active, has not
 * expired, has the scope `resort:use` and a valid subject, and was issued for this resort by `identityUrl`,
 * which has no trailing slash. Refuses the key if one of the members for these conditions has the wrong type,
 * such as `"exp": null`.
 * @returns the identity, or null if the key is refused; and the time at which the key expires, in
 * milliseconds since the epoch, or infinity if it does not expire
 * @throws the error from {@link outage} if the body is not an object with the member `active`
 */
export function readIntrospection(
	body: unknown,
	identityUrl: string,
	nowMs: number,
): { identity: Identity | null; expiresMs: number } {
	if (!isRecord(body) || body.active === undefined) throw outage("not an introspection response");
	const { active, iss, sub, exp, scope, username } = body;
	// A key whose expiry time is not a number is refused, because every comparison with NaN is false.
	const endSeconds = typeof exp === "number" ? exp : Number.NaN;
	const expiresMs = exp === undefined ? NEVER_MS : endSeconds * SECOND_MS;
	const isAccepted =
		active === true &&
		typeof iss === "string" &&
		withoutSlash(iss) === identityUrl &&
		isForResort(body) &&
		typeof scope === "string" &&
		scope.split(" ").includes(SCOPE) &&
		expiresMs > nowMs;
	if (!isAccepted || !isSubject(sub)) return { identity: null, expiresMs: NEVER_MS };
	// `join` makes a copy: a slice would keep the whole text in memory.
	const name = typeof username === "string" ? [...username.slice(0, MAX_USERNAME_LENGTH)].join("") : null;
	return { identity: { issuer: identityUrl, subject: sub, username: name }, expiresMs };
}

/** Removes a trailing slash from a URL, so that the spellings with and without the slash are equal. */
export function withoutSlash(url: string): string {
	return url.replace(/\/$/, "");
}

function isForResort({ aud, client_id }: Record<string, unknown>): boolean {
	if (aud === undefined) return client_id === RESORT;
	return Array.isArray(aud) ? aud.includes(RESORT) : aud === RESORT;
}

function isSubject(sub: unknown): sub is string {
	return (
		typeof sub === "string" &&
		sub !== "" &&
		codePoints(sub) <= MAX_SUBJECT_LENGTH &&
		isStorable(sub) &&
		!/\p{Cc}/u.test(sub)
	);
}

import type { JsonObject } from "../calls/answer.ts";
import { parseApiKey } from "../lib/credential.ts";
import { STATUS_PATH } from "../resort/presence/agent-status.ts";

/** The header field for the request id, in requests and responses. */
export const REQUEST_ID = "x-request-id";

/** The request ids that are accepted from clients. Any other id is replaced by a new one. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The maximum length of `Host` in bytes, which is that of the longest DNS name (RFC 1035, section 2.3.4). */
const MAX_HOST_BYTES = 255;

/** The maximum number of segments in {@link pathPatterns}. No route has more. */
const MAX_SEGMENTS = 6;

/** A request from the router, with the decoded segments of the path that the client sent. */
export interface MatchedRequest extends Request {
	readonly params?: Readonly<Record<string, string>>;
}

const errors = {
	host: {
		error: "Invalid Host",
		hint: `Send one Host header field of at most ${MAX_HOST_BYTES} bytes, without a comma.`,
	},
	target: {
		error: "Invalid request target",
		hint: "Encode every backslash as %5C, and use no dot segments in the path.",
	},
};

/**
 * Patterns for the runtime's router, one for each number of segments. Only the parameters of the router show
 * a backslash or dot segments in the path. The URL parser replaces `\` by `/` (WHATWG URL), so a request for
 * `/api\me` could bypass the rules of a proxy in front.
 */
export const pathPatterns: readonly string[] = [
	"/",
	// The most frequent path has its own pattern, because one parameter is faster than four.
	STATUS_PATH,
	...Array.from({ length: MAX_SEGMENTS }, (_, last) =>
		Array.from({ length: last + 1 }, (_, at) => `/:s${at}`).join(""),
	).flatMap((pattern) => [pattern, `${pattern}/`]),
];

/**
 * Returns the error for a `Host` of more than 255 bytes, for two `Host` fields (which the runtime joins with
 * a comma, RFC 9110, section 5.2), and for a backslash or dot segments; null for a valid request.
 */
export function targetError(request: MatchedRequest): JsonObject | null {
	// The runtime decodes header values as Latin-1, so one character is one byte.
	const host = request.headers.get("host");
	if (host !== null && (host.length > MAX_HOST_BYTES || host.includes(","))) {
		return errors.host;
	}
	const { url, params } = request;
	if (url.includes("\\")) return errors.target;
	if (params === undefined) return isUnread(url) ? errors.target : null;
	const { id } = params;
	// Reading one parameter by name is faster than iterating over all.
	const isOrdinary = id === undefined ? !Object.values(params).some(isSuspicious) : !isSuspicious(id);
	return isOrdinary || isUnchanged(params, url) ? null : errors.target;
}

/**
 * Whether a segment is a dot segment or may contain a backslash. A backslash may also follow an invalid
 * escape. The router decodes both together to U+FFFD.
 */
function isSuspicious(segment: string): boolean {
	return segment === "." || segment === ".." || segment.includes("\\") || segment.includes("\uFFFD");
}

/**
 * Whether a URL has the path that the client sent, for a path with a suspicious segment. A dot segment
 * removes segments from the URL's path, and a backslash that was not sent as `%5C` adds a segment or ends the
 * path.
 * @param params the decoded segments of the sent path, by the parameters of its pattern
 */
function isUnchanged({ id, ...others }: Readonly<Record<string, string>>, url: string): boolean {
	const sent =
		id === undefined
			? Object.values(others)
			: segmentsOf(STATUS_PATH).map((one) => (one === ":id" ? id : one));
	const path = pathOf(url);
	const backslashes = sent.join("").split("\\").length;
	return segmentsOf(path).length === sent.length && backslashes <= path.split(/%5c/i).length;
}

/**
 * Whether `url` differs from the path that the client sent, for a request that no pattern matched. The
 * patterns match every path without empty segments and with at most {@link MAX_SEGMENTS} segments.
 */
function isUnread(url: string): boolean {
	const path = pathOf(url);
	return !path.includes("//") && segmentsOf(path).length <= MAX_SEGMENTS;
}

function segmentsOf(path: string): string[] {
	return path.split("/").slice(1, path.endsWith("/") ? -1 : undefined);
}

/** Returns the path of a URL. The URL has no scheme if `Host` is missing or invalid. */
function pathOf(url: string): string {
	const from = url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);
	const [path = ""] = url.slice(from).split(/[?#]/, 1);
	return path;
}

/**
 * A request with an absolute URL. For a request whose `Host` is missing (allowed in HTTP/1.0) or invalid, the
 * runtime uses the bare target as the URL, and the router would find the wrong path in it.
 */
class AbsoluteRequest extends Request {
	/** The request of the runtime. The methods of the server identify a connection by this object. */
	readonly original: Request;

	constructor(original: Request) {
		const { url, method, headers, body } = original;
		// `new Request(url, original)` would close the connection if the body stays unread.
		super(`http://localhost${url}`, { method, headers, body });
		this.original = original;
	}
}

/** Returns a request with an absolute URL. */
export function absoluteRequest(request: Request): Request {
	return request.url.startsWith("/") ? new AbsoluteRequest(request) : request;
}

/** Returns the request object created by the runtime. */
export function originalRequest(request: Request): Request {
	return request instanceof AbsoluteRequest ? request.original : request;
}

/** Whether a request is GET or HEAD. */
export function isRead({ method }: Request): boolean {
	return method === "GET" || method === "HEAD";
}

/** Returns the request id of the client if it is safe to log and not an API key, else a new one. */
export function requestIdOf({ headers }: Request): string {
	const sent = headers.get(REQUEST_ID);
	return sent !== null && SAFE_REQUEST_ID.test(sent) && parseApiKey(sent) === null
		? sent
		: Bun.randomUUIDv7();
}

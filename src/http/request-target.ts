import { STATUS_PATH } from "../resort/presence/agent-status.ts";
import { AbsoluteRequest } from "./absolute-request.ts";
import { requestIdOf } from "./read-call.ts";
import { baseHeaders, REQUEST_ID } from "./send-response.ts";

/** The longest accepted `Host`, in bytes: the longest name in DNS (RFC 1035, section 2.3.4). */
const MAX_HOST_BYTES = 255;

/** The segments of longer paths are not available; no route has as many. */
const MAX_SEGMENTS = 6;

/** A request with the decoded segments of its path as it was sent, if one of {@link pathPatterns} matches. */
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
		hint: "Write every backslash as %5C, and use no dot segments in the path.",
	},
};

/**
 * Patterns for the runtime's router, one for each number of segments. `request.url` contains `/` for `\` (WHATWG URL),
 * so that `/api\me` would be routed to `/api/me`, although the rules of a proxy in front see another path. Only the
 * parameters of the runtime's router contain the path as it was sent.
 */
export const pathPatterns: readonly string[] = [
	"/",
	// The most requested path has one parameter instead of four.
	STATUS_PATH,
	...Array.from({ length: MAX_SEGMENTS }, (_, last) =>
		Array.from({ length: last + 1 }, (_, at) => `/:s${at}`).join(""),
	).flatMap((pattern) => [pattern, `${pattern}/`]),
];

/**
 * Wraps a function that answers requests: responds with 400 to a `Host` over 255 bytes, two `Host` fields (which the
 * runtime joins by a comma, RFC 9110, section 5.2), and a backslash in path or query.
 * @param accept called for every other request before it is answered
 */
export function requireValidTarget(
	answer: (request: Request) => Response | Promise<Response>,
	accept?: (request: Request) => void,
): (request: MatchedRequest) => Response | Promise<Response> {
	return (request) => {
		const error = targetError(request);
		if (error !== null) {
			const headers = { ...baseHeaders, [REQUEST_ID]: requestIdOf(request) };
			return Response.json(error, { status: 400, headers });
		}
		accept?.(request);
		return answer(
			request.url.startsWith("/") ? new AbsoluteRequest(request) : request,
		);
	};
}

function targetError(request: MatchedRequest): object | null {
	// Header values are Latin-1 here: a character is a byte.
	const host = request.headers.get("host");
	if (host !== null && (host.length > MAX_HOST_BYTES || host.includes(","))) {
		return errors.host;
	}
	const { url, params } = request;
	if (url.includes("\\")) return errors.target;
	if (params === undefined) return isUnread(url) ? errors.target : null;
	const { id } = params;
	// Reading one parameter by name takes less time than iterating over all.
	const isOrdinary =
		id === undefined
			? !Object.values(params).some(isSuspicious)
			: !isSuspicious(id);
	if (isOrdinary) return null;
	return hasBackslash(sentSegments(params), url) ? errors.target : null;
}

/** Returns the decoded segments of a path, from the parameters of its pattern. */
function sentSegments(params: Readonly<Record<string, string>>): string[] {
	const { id } = params;
	return id === undefined
		? Object.values(params)
		: segmentsOf(STATUS_PATH.replace(":id", () => id));
}

/** The router decodes an invalid escape and the byte after it as U+FFFD: that byte may have been a backslash. */
function isSuspicious(segment: string): boolean {
	return segment.includes("\\") || segment.includes("\uFFFD");
}

/** Whether segments, of which one is suspicious, contain a backslash that was not sent as `%5C`. */
function hasBackslash(segments: readonly string[], url: string): boolean {
	const path = pathOf(url);
	const backslashes = segments.join("").split("\\").length;
	if (backslashes > path.split(/%5c/i).length) return true;
	// A hidden backslash splits a segment, unless dot segments remove others.
	const isHidden = segments.some((segment) => segment.includes("\uFFFD"));
	return isHidden && segmentsOf(path).length !== segments.length;
}

/**
 * Whether the sent path of a request without a matching pattern differs from the path of its URL: no pattern matches
 * paths with an empty segment or with many segments.
 */
function isUnread(url: string): boolean {
	const path = pathOf(url);
	return !path.includes("//") && segmentsOf(path).length <= MAX_SEGMENTS;
}

function segmentsOf(path: string): string[] {
	return path.split("/").slice(1, path.endsWith("/") ? -1 : undefined);
}

/** Returns the path of a URL, which has no scheme if the `Host` is missing or invalid. */
function pathOf(url: string): string {
	const from = url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);
	const [path = ""] = url.slice(from).split(/[?#]/, 1);
	return path;
}

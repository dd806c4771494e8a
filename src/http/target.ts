import { STATUS_PATH } from "../resort/presence/status.ts";
import { REQUEST_ID, requestIdFor } from "./exchange.ts";
import { headersOfAll } from "./headers.ts";

/** The longest `Host` that is taken, in bytes: the longest name that DNS knows (RFC 1035, section 2.3.4). */
const MAX_HOST_BYTES = 255;

/** Paths of more segments are not read as they came; no route has as many. */
const MAX_SEGMENTS = 6;

/** A request, with the segments of its path as they came, decoded, if one of {@link pathPatterns} took it. */
export interface Arrival extends Request {
	readonly params?: Readonly<Record<string, string>>;
}

/** What is wrong with a request before anyone looks for its route. */
export interface TargetFault {
	readonly error: string;
	readonly hint: string;
}

const faults = {
	host: {
		error: "Invalid Host",
		hint: `Send one Host header field of at most ${MAX_HOST_BYTES} bytes, without a comma.`,
	},
	target: {
		error: "Invalid request target",
		hint: "Write every backslash as %5C, and a path without dot segments.",
	},
} satisfies Record<string, TargetFault>;

/**
 * Patterns for the runtime's router, one for each number of segments. `request.url` writes `\` as `/` (WHATWG
 * URL), so that `/api\me` would be taken for `/api/me` although the rules of a proxy in front see another
 * path. Only the router's parameters tell the path as it came.
 */
export const pathPatterns: readonly string[] = [
	"/",
	// Of the path that is asked for most, only one segment has to be read.
	STATUS_PATH,
	...Array.from({ length: MAX_SEGMENTS }, (_, last) =>
		Array.from({ length: last + 1 }, (_, at) => `/:s${at}`).join(""),
	).flatMap((pattern) => [pattern, `${pattern}/`]),
];

/**
 * What is wrong with the `Host` or the target of a request: a `Host` over 255 bytes, two `Host` fields (which
 * the runtime joins by a comma, RFC 9110, section 5.2) or a backslash in path or query.
 * @returns null for an ordinary request
 */
export function targetFault(request: Arrival): TargetFault | null {
	// Header values are Latin-1 here: a character is a byte.
	const host = request.headers.get("host");
	if (host !== null && (host.length > MAX_HOST_BYTES || host.includes(","))) {
		return faults.host;
	}
	const { url, params } = request;
	if (url.includes("\\")) return faults.target;
	if (params === undefined) return isUnread(url) ? faults.target : null;
	const { id } = params;
	// To name the one parameter of the path that is asked for most costs less than to go through all.
	const isOrdinary =
		id === undefined
			? !Object.values(params).some(isSuspicious)
			: !isSuspicious(id);
	if (isOrdinary) return null;
	return hasBackslash(segmentsAsTheyCame(params), url) ? faults.target : null;
}

/** The decoded segments of a path, from the parameters of the pattern that took it. */
function segmentsAsTheyCame(
	params: Readonly<Record<string, string>>,
): string[] {
	const { id } = params;
	return id === undefined
		? Object.values(params)
		: segmentsOf(STATUS_PATH.replace(":id", () => id));
}

/** The answer to a request with a fault. */
export function refuseTarget(request: Request, fault: TargetFault): Response {
	const headers = { ...headersOfAll, [REQUEST_ID]: requestIdFor(request) };
	return Response.json(fault, { status: 400, headers });
}

/** Of a broken escape and the byte after it the router makes U+FFFD: that byte may have been a backslash. */
function isSuspicious(segment: string): boolean {
	return segment.includes("\\") || segment.includes("\uFFFD");
}

/** Whether segments, of which one is suspicious, hold a backslash that was not written as `%5C`. */
function hasBackslash(segments: readonly string[], url: string): boolean {
	const path = pathOf(url);
	const backslashes = segments.join("").split("\\").length;
	if (backslashes > path.split(/%5c/i).length) return true;
	// A hidden backslash has made one segment into two, or dot segments have taken that away with more.
	const isHidden = segments.some((segment) => segment.includes("\uFFFD"));
	return isHidden && segmentsOf(path).length !== segments.length;
}

/**
 * Whether the path of a request that no pattern took was another one than its URL tells: the router leaves
 * out only paths with an empty segment and those with very many.
 */
function isUnread(url: string): boolean {
	const path = pathOf(url);
	return !path.includes("//") && segmentsOf(path).length <= MAX_SEGMENTS;
}

function segmentsOf(path: string): string[] {
	return path.split("/").slice(1, path.endsWith("/") ? -1 : undefined);
}

/** The path of a URL; one without a scheme is that of a request whose `Host` cannot stand in a URL. */
function pathOf(url: string): string {
	const from = url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);
	const [path = ""] = url.slice(from).split(/[?#]/, 1);
	return path;
}

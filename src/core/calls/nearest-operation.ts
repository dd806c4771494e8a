import { nearestName } from "../lib/nearest-name.ts";
import type { Operation } from "../resort/operation.ts";

type Route = Pick<Operation, "method" | "path">;

/** The maximum length of a path for which a hint is computed. */
const MAX_LENGTH = 100;

/** The hint if no operation is similar. */
const START = "GET / shows where to start.";

/** A hint for paths that programs often request, although no operation has them. */
export interface PathHint {
	readonly paths: RegExp;
	readonly hint: string;
}

/**
 * Returns a hint for a request that matches no operation. For a path under /api, the hint names the operation
 * with the most similar path. For another path, it names only an operation whose path differs in case, a
 * final slash or a missing /api. Operations with the request's method are preferred. For a GET or HEAD
 * request, the hint names another method only if the path is exactly that of an operation, because agents
 * follow hints, and a misspelt read must not become a change.
 * @param hints the hints for certain paths, which take precedence
 */
export function nearestOperation(
	operations: readonly Route[],
	hints: readonly PathHint[],
	{ method: sentMethod, path }: { readonly method: string; readonly path: string },
): string {
	if (path.length > MAX_LENGTH) return START;
	const given = hints.find(({ paths }) => paths.test(path));
	if (given !== undefined) return given.hint;
	const bare = path.toLowerCase().replace(/\/$/, "");
	if (!bare.startsWith("/api/")) {
		const same = operations.filter((one) => [bare, `/api${bare}`].includes(one.path));
		return same.length > 0 ? hintFor(same) : START;
	}
	const method = sentMethod === "HEAD" ? "GET" : sentMethod;
	const segments = segmentsOf(bare);
	const ofApi = operations.filter((one) => one.path.startsWith("/api/"));
	const ofMethod = ofApi.filter((one) => one.method === method);
	const sent = segments.join("/");
	const same = ofApi.filter((one) => filled(one.path, segments) === sent);
	const exact = same.find((one) => !one.path.includes(":")) ?? same[0];
	if (method === "GET" && exact !== undefined) return hintFor(same.filter((one) => one.path === exact.path));
	const own = nearestPath(ofMethod, segments) ?? nearestPath(ofMethod, segments.slice(0, -1));
	const nearest = own ?? (method === "GET" ? undefined : nearestPath(ofApi, segments));
	if (nearest === undefined) return START;
	const candidates = own === undefined ? ofApi : ofMethod;
	return hintFor(candidates.filter((one) => one.path === nearest));
}

/** @param routes the operations of one path, with different methods */
function hintFor(routes: readonly Route[]): string {
	const methods = routes.map((one) => one.method);
	const template = (routes[0]?.path ?? "").replace(/:(\w+)/g, "{$1}");
	return `The nearest operation is ${methods.join(" or ")} ${template}; GET /api/skill lists all operations.`;
}

/** Returns the path most similar to the segments, or undefined. A parameter matches any segment. */
function nearestPath(operations: readonly Route[], segments: readonly string[]): string | undefined {
	const paths = new Map(operations.map(({ path }) => [filled(path, segments), path]));
	const nearest = nearestName(segments.join("/"), [...paths.keys()]);
	return paths.get(nearest ?? "");
}

/** Returns the path of an operation without `/api`, with the sent segments in place of its parameters. */
function filled(path: string, segments: readonly string[]): string {
	return segmentsOf(path)
		.map((segment, at) => (segment.startsWith(":") ? (segments[at] ?? "") : segment))
		.join("/");
}

/** Returns the segments of a path that follow `/api`. */
function segmentsOf(path: string): string[] {
	return path.split("/").slice(2);
}

import { distance as editDistance } from "fastest-levenshtein";
import type { Operation } from "../resort/operation.ts";

/** Longer paths get no hint. */
const MAX_LENGTH = 100;

/** The largest distance of a hint. */
const MAX_DISTANCE = 6;

/** Added for another method, and for each segment more or less. */
const METHOD_DISTANCE = 2.5;
const SEGMENT_DISTANCE = 3;

/** A word with a larger share of wrong letters is another word, not a typo. */
const MAX_TYPOS = 1 / 3;

/** The hint if no operation is near. */
const START = "GET / shows where to start.";

/**
 * Returns a hint for an unknown call. Under /api it names the operation with the nearest path: the same method if the
 * path has it, else all methods of the path. For a read it names only reads, because agents follow hints.
 */
export function nearestOperation(
	operations: readonly Pick<Operation, "method" | "path">[],
	method: string,
	path: string,
): string {
	if (!path.startsWith("/api/") || path.length > MAX_LENGTH) return START;
	const isRead = method === "GET" || method === "HEAD";
	const [nearest] = operations
		.filter((one) => one.path.startsWith("/api/"))
		.filter((one) => !isRead || one.method === "GET")
		.map((one) => {
			const isSame = isRead || one.method === method;
			const distance =
				pathDistance(one.path, path) + (isSame ? 0 : METHOD_DISTANCE);
			return { ...one, isSame, distance };
		})
		.sort((a, b) => a.distance - b.distance);
	if (nearest === undefined || nearest.distance > MAX_DISTANCE) return START;
	const methods = operations
		.filter((one) => one.path === nearest.path)
		.map((one) => one.method)
		.filter((one) => !nearest.isSame || one === nearest.method);
	const template = nearest.path.replace(/:(\w+)/g, "{$1}");
	return `The nearest operation is ${methods.join(" or ")} ${template}; GET /api/skill lists all.`;
}

/**
 * Returns the edit distance of two paths, segment by segment; a parameter matches any segment at a distance of 1.
 * Paths without a common word, typos included, are infinitely far apart: `/api/events` is not meant as `/api/agents`.
 */
function pathDistance(template: string, path: string): number {
	const expected = segmentsOf(template);
	const actual = segmentsOf(path.toLowerCase());
	let distance = Math.abs(expected.length - actual.length) * SEGMENT_DISTANCE;
	let hasCommonWord = false;
	for (const [at, segment] of expected.entries()) {
		const other = actual[at];
		if (other === undefined) continue;
		const isParameter = segment.startsWith(":");
		const edits = isParameter ? 1 : editDistance(segment, other);
		const most = Math.max(segment.length, other.length) * MAX_TYPOS;
		distance += edits;
		hasCommonWord ||= !isParameter && edits < most;
	}
	return hasCommonWord ? distance : Number.POSITIVE_INFINITY;
}

/** Returns the segments of a path after /api. */
function segmentsOf(path: string): string[] {
	return path.split("/").filter(Boolean).slice(1);
}

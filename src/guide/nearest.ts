import { editDistance } from "../lib/edit-distance.ts";
import type { Operation } from "../resort/operation.ts";

/** Longer paths are not compared; nobody mistypes a path of ours into one. */
const MAX_LENGTH = 100;

/** Paths that differ by more are not near. */
const MAX_DISTANCE = 6;

/** What another method adds to the distance; a segment more or less adds more. */
const OTHER_METHOD = 2.5;

const SEGMENT = 3;

/** A word with this share of wrong letters is another word, not a mistyped one. */
const MISTYPED = 1 / 3;

/** The hint where nothing is near. */
const START = "GET / tells where to start.";

/**
 * A hint for an unknown call. Under /api it names the operation whose path is nearest: with the same method when the
 * path has it, else with all methods of the path. A read is never led to an operation that changes something,
 * because an agent that follows hints would call it.
 */
export function nearestOperation(
	operations: readonly Pick<Operation, "method" | "path">[],
	method: string,
	path: string,
): string {
	if (!path.startsWith("/api/") || path.length > MAX_LENGTH) return START;
	const isRead = method === "GET" || method === "HEAD";
	const ranked = operations
		.filter(
			(operation) =>
				operation.path.startsWith("/api/") &&
				(!isRead || operation.method === "GET"),
		)
		.map((operation) => ({
			operation,
			distance:
				distanceTo(operation.path, path) +
				(isRead || operation.method === method ? 0 : OTHER_METHOD),
		}))
		.sort((a, b) => a.distance - b.distance);
	const [best] = ranked;
	if (best === undefined || best.distance > MAX_DISTANCE) return START;
	const { path: nearest } = best.operation;
	const methods =
		isRead || best.operation.method === method
			? [best.operation.method]
			: operations
					.filter((operation) => operation.path === nearest)
					.map((operation) => operation.method);
	const shown = nearest.replace(/:(\w+)/g, "{$1}");
	return `The nearest operation is ${methods.join(" or ")} ${shown}; GET /api/skill lists all.`;
}

/**
 * The edit distance of two paths under /api, segment by segment; a parameter fits any segment, at a distance of 1.
 * Paths that share no word, not even a mistyped one, are infinitely far apart: `/api/events` means something else
 * than `/api/agents`.
 */
function distanceTo(template: string, path: string): number {
	const expected = wordsOf(template);
	const given = wordsOf(path.toLowerCase());
	let distance = Math.abs(expected.length - given.length) * SEGMENT;
	let isAkin = false;
	for (const [at, segment] of expected.entries()) {
		const other = given[at];
		if (other === undefined) continue;
		if (segment.startsWith(":")) {
			distance += 1;
		} else {
			const edits = editDistance(segment, other, MAX_DISTANCE);
			distance += edits;
			isAkin ||= edits < Math.max(segment.length, other.length) * MISTYPED;
		}
	}
	return isAkin ? distance : Number.POSITIVE_INFINITY;
}

/** The segments of a path after /api. */
function wordsOf(path: string): string[] {
	return path.split("/").filter(Boolean).slice(1);
}

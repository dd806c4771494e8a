import { editDistance } from "../lib/edit-distance.ts";
import type { Operation } from "../resort/operation.ts";

/** Longer paths are not compared; nobody mistypes a path of ours into one. */
const MAX_LENGTH = 100;

/** Paths that differ by more are not near. */
const MAX_DISTANCE = 6;

/** How far a path of another method is; a segment more or less is farther. */
const OTHER_METHOD = 2.5;

const SEGMENT = 3;

/** The part of a word's letters from which on it is another word, and not a mistyped one. */
const MISTYPED = 1 / 3;

/** The hint where nothing is near. */
const START = "GET / tells where to start.";

/**
 * A hint for an unknown call: under /api the operation whose path is nearest, of the same method when the path
 * has one, else all that it has. Whoever only reads is led to no operation that changes something: an agent that
 * follows hints would do it.
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
 * The edit distance of two paths under /api by segments; a parameter is like everything. Paths that share no word,
 * also no mistyped one, are infinitely far apart: `/api/events` means something else than `/api/agents`.
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

/** The segments of a path behind /api. */
function wordsOf(path: string): string[] {
	return path.split("/").filter(Boolean).slice(1);
}

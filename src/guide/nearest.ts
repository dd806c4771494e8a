import type { Route } from "./openapi.ts";

/** Longer paths are not compared; nobody mistypes a path of ours into one. */
const MAX_LENGTH = 100;

/** Paths that differ by more are not near. */
const MAX_DISTANCE = 6;

/**
 * A hint for an unknown call under /api: the operation whose path is nearest, of the same method when the
 * path has one.
 * @returns undefined when nothing is near
 */
export function nearestOperation(
	routes: readonly Route[],
	method: string,
	path: string,
): string | undefined {
	if (!path.startsWith("/api/") || path.length > MAX_LENGTH) return undefined;
	const ranked = routes
		.filter((route) => route.path.startsWith("/api/"))
		.map((route) => ({
			route,
			distance:
				distanceTo(route.path, path) + (route.method === method ? 0 : 0.5),
		}))
		.sort((a, b) => a.distance - b.distance);
	const [best] = ranked;
	if (best === undefined || best.distance > MAX_DISTANCE) return undefined;
	const shown = best.route.path.replace(/:(\w+)/g, "{$1}");
	return `The nearest operation is ${best.route.method} ${shown}; GET /api/skill lists all.`;
}

/** The edit distance of two paths by segments; a parameter is like everything. */
function distanceTo(template: string, path: string): number {
	const expected = template.split("/").filter(Boolean);
	const given = path.toLowerCase().split("/").filter(Boolean);
	let distance = Math.abs(expected.length - given.length) * 3;
	for (const [at, segment] of expected.entries()) {
		const other = given[at];
		if (other === undefined) continue;
		distance += segment.startsWith(":") ? 1 : editDistance(segment, other);
	}
	return distance;
}

/** Levenshtein's distance, row by row; of very different lengths only that it is too large. */
function editDistance(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > MAX_DISTANCE) return MAX_DISTANCE + 1;
	let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const substituted =
				(previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
			current.push(
				Math.min(
					substituted,
					(previous[column] ?? 0) + 1,
					(current[column - 1] ?? 0) + 1,
				),
			);
		}
		previous = current;
	}
	return previous[b.length] ?? 0;
}

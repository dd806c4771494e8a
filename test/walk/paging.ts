import { type Expected, success } from "./expected.ts";
import type { Visit } from "./operation.ts";

/** A page of a list. */
export interface Page {
	readonly limit: number | null;
	readonly offset: number | null;
}

/** The maximum number of entries without the parameters `limit` and `offset`. */
const MAX_ENTRIES = 1_000;
/** The maximum value of the parameter `limit`. */
const MAX_LIMIT = 100;

/** Returns a page of a list, the length of the list, and the path of the next page. */
export function pageOf<Name extends string, T, V>(
	name: Name,
	{ call, read: { limit, offset } }: Pick<Visit<Page>, "call" | "read">,
	items: readonly T[],
	show: (item: T) => V,
	path = call.operation.slice("GET ".length),
) {
	const start = offset ?? 0;
	const size = limit ?? (offset === null ? MAX_ENTRIES : MAX_LIMIT);
	const end = start + size;
	const search = new URLSearchParams({ limit: String(Math.min(size, MAX_LIMIT)), offset: String(end) });
	for (const [param, value] of call.query ?? []) if (!search.has(param)) search.append(param, value);
	return {
		[name]: items.slice(start, end).map(show),
		total: items.length,
		...(end < items.length && { next: `${path}?${search}` }),
	};
}

/** Returns a page, newest first, of a list whose entries are stored oldest first. */
export function newestFirst<T>(
	name: string,
	visit: Pick<Visit<Page>, "call" | "read">,
	oldestFirst: readonly T[],
	show: (item: T) => object,
	path?: string,
): Expected {
	return success(200, pageOf(name, visit, oldestFirst.toReversed(), show, path));
}

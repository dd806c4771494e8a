import { type Expected, success } from "./expected.ts";
import type { Visit } from "./operation.ts";

/** A page of a list. */
export interface Page {
	readonly limit: number | null;
	readonly offset: number;
}

/** The maximum number of entries without `limit`, and the maximum of `limit`. */
const MAX_ENTRIES = 1_000;
const MAX_LIMIT = 100;

/** Returns a page of a list, the length of the list, and the path of the next page. */
export function pageOf<Name extends string, T, V>(
	name: Name,
	path: string,
	items: readonly T[],
	{
		page: { limit, offset },
		show,
		filters = {},
	}: {
		readonly page: Page;
		readonly show: (item: T) => V;
		readonly filters?: Readonly<Record<string, string>>;
	},
) {
	const end = offset + (limit ?? MAX_ENTRIES);
	const search = new URLSearchParams({
		limit: String(Math.min(limit ?? MAX_ENTRIES, MAX_LIMIT)),
		offset: String(end),
		...filters,
	});
	return {
		[name]: items.slice(offset, end).map(show),
		total: items.length,
		...(end < items.length && { next: `${path}?${search}` }),
	};
}

/** Returns a page, newest first, of a list whose entries are stored oldest first. */
export function newestFirst<T>(
	name: string,
	{ call, read }: Pick<Visit<Page>, "call" | "read">,
	{
		items,
		show,
		more = {},
		path = call.operation.slice("GET ".length),
	}: {
		readonly items: readonly T[];
		readonly show: (item: T) => object;
		readonly more?: object;
		readonly path?: string;
	},
): Expected {
	const page = pageOf(name, path, [...items].reverse(), { page: read, show });
	return success(200, { ...page, ...more });
}

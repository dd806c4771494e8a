import { type Expected, success } from "./expected.ts";
import type { Visit } from "./operation.ts";

/** A page of a list; no limit gives all that is left. */
export interface Page {
	readonly limit: number | null;
	readonly offset: number;
}

/** The most entries of a list without a limit, and with one. */
const MAX_ENTRIES = 1_000;
const MAX_LIMIT = 100;

/** A page of a list, with its length and the path of the next page beside it. */
export function pageOf<Name extends string, T, V>(
	name: Name,
	path: string,
	items: readonly T[],
	{ limit, offset }: Page,
	show: (item: T) => V,
	filters: Readonly<Record<string, string>> = {},
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
	items: readonly T[],
	show: (item: T) => object,
	more: object = {},
	path = call.operation.slice("GET ".length),
): Expected {
	const page = pageOf(name, path, [...items].reverse(), read, show);
	return success(200, { ...page, ...more });
}

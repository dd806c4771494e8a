import { Type } from "@sinclair/typebox";
import { DocumentText } from "../resort/documents/model.ts";
import { WholeNumber } from "../resort/schemas.ts";
import type { Task } from "../store/task.ts";

/** What the operations of all public pages have in common. */
export const PAGE = {
	method: "GET",
	tag: "Pages",
	credential: "none",
	answers: { 200: DocumentText },
	mediaTypes: ["text/html"],
} as const;

/**
 * How many pages a list has at most. To pass over more rows than these takes as long as to make a long list of the API,
 * and programs are limited in that; what is older, the API gives.
 */
const MOST_PAGES = 600;

/** The number of a page in a query; the first one is 1. */
export const PageNumber = Type.Optional(WholeNumber(1, MOST_PAGES));

/** The items of a page, and whether there are more behind them. */
export interface PageOfItems<T> {
	readonly items: readonly T[];
	readonly hasMore: boolean;
}

/**
 * Reads a page of a list.
 * @param page its number, from 1 on
 * @param size how many items it has at most
 * @param read reads so many items, after others
 */
export function* pageOf<T>(
	page: number,
	size: number,
	read: (limit: number, offset: number) => Task<readonly T[]>,
): Task<PageOfItems<T>> {
	const found = yield* read(size + 1, (page - 1) * size);
	const hasMore = found.length > size && page < MOST_PAGES;
	return { items: found.slice(0, size), hasMore };
}

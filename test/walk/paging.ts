import { digits } from "./fields.ts";

const MAX_OFFSET = 2_147_483_647;

/** A page of a list; no limit gives all that is left. */
export interface Page {
	readonly limit: number | null;
	readonly offset: number;
}

/** The paging of a list that is whole without it. */
export const paging = {
	limit: digits(1, 100, null),
	offset: digits(0, MAX_OFFSET, 0),
};

/** A page of a list. */
export function pageOf<T>(
	items: readonly T[],
	{ limit, offset }: Page,
): readonly T[] {
	return items.slice(offset, limit === null ? undefined : offset + limit);
}

/** A page of a list that is kept oldest first, newest first. */
export function newestFirst<T>(items: readonly T[], page: Page): readonly T[] {
	return pageOf([...items].reverse(), page);
}

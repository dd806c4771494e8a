import { type Static, type TObject, Type } from "@sinclair/typebox";
import { type EventType, eventTypes } from "../../../core/resort/events/publish.ts";
import { readUncounted } from "../../../core/resort/lists.ts";
import {
	DocumentReply,
	type Input,
	type Operation,
	operation,
	type ParamsOf,
} from "../../../core/resort/operation.ts";
import { DocumentText, WholeNumber } from "../../../core/resort/schemas.ts";
import type { ListQueries } from "../../../core/store/list-query.ts";
import type { Values } from "../../../core/store/query.ts";
import type { Store } from "../../../core/store/store.ts";
import type { Task } from "../../../core/store/task.ts";
import { type Html, html } from "../html.ts";
import { type Page, pageDocument } from "../html-page.ts";
import { skyAt } from "../scenery.ts";

/** The properties that the operations of all public pages share. */
export const PUBLIC_PAGE = {
	credential: "none",
	answers: { 200: DocumentText },
	mediaTypes: ["text/html"],
} as const;

/** The types of all public events. */
export const publicEvents = eventTypes.filter((type) => type !== "postcard.received");

/** The content of a public page, as returned by {@link PageDefinition.read}. */
interface PublicPage extends Omit<Page, "live"> {
	/** The agent whose events change the page; all agents by default. */
	readonly agentId?: string;
	/** When the page expires, in milliseconds since the epoch; by default, when its colours change. */
	readonly untilMs?: number;
}

interface PageDefinition<R extends string, Query extends TObject> extends Pick<Operation, "id" | "byAccept"> {
	readonly query?: Query;
	/**
	 * The events that change the page, besides `agent.changed`. An open page updates itself after each event.
	 */
	readonly events: readonly EventType[];
	/** False for a page that does not update itself. */
	readonly isLive?: boolean;
	read(input: Input<ParamsOf<R>, Static<Query>, unknown, null>): Task<PublicPage>;
}

/** Creates the operation of a public page. */
export function publicPage<const R extends `GET /${string}`, Query extends TObject>(
	route: R,
	{ query, events, isLive = true, read, ...definition }: PageDefinition<R, Query>,
): Operation {
	return operation(route, {
		...PUBLIC_PAGE,
		...definition,
		...(query && { query }),
		summary: "A page for people",
		invalidatedBy: [...events, "agent.changed"],
		*read(input) {
			const { context } = input;
			const { agentId, untilMs = Number.POSITIVE_INFINITY, ...page } = yield* read(input);
			const live = { types: events, ...(agentId !== undefined && { agentId }) };
			const endMs = Math.min(untilMs, skyAt(context.clock()).untilMs);
			const document = pageDocument(context, isLive ? { ...page, live } : page);
			return new DocumentReply(document, { untilMs: endMs });
		},
	});
}

/** The highest page number that can be requested. Larger offsets into a list would be too slow. */
const MAX_PAGE = 600;

/** The query of a list that is split into pages. */
export const PageQuery = Type.Object({ page: Type.Optional(WholeNumber(1, MAX_PAGE)) });

/** A request for one page of a list. */
interface ListPageQuery<T> {
	readonly list: ListQueries<T>;
	readonly values: Values;
	/** The path of the first page. */
	readonly path: string;
	readonly page: number;
	/** The number of items on a page. */
	readonly size: number;
}

/** Reads one page of a list: its items, its path, the suffix of its title, and links to other pages. */
export function* readListPage<T>(store: Store, { list, values, path, page, size }: ListPageQuery<T>) {
	const range = { limit: size, offset: (page - 1) * size };
	const { entries: items, hasMore } = yield* readUncounted(store, list, values, range);
	return {
		items,
		path: pagePath(path, page),
		suffix: page === 1 ? "" : `, page ${page}`,
		links: pageLinks(path, page, hasMore, ["Newer", "Older"]),
	};
}

/**
 * Returns the links to the previous and the next page of the list at `path`, with the texts `before` and
 * `after`; false if there is only one page.
 */
export function pageLinks(
	path: string,
	page: number,
	hasMore: boolean,
	[before, after]: readonly [before: string, after: string],
): Html | false {
	const hasNext = hasMore && page < MAX_PAGE;
	return (
		(page > 1 || hasNext) &&
		html`<nav class="pages" aria-label="More">${page > 1 && html`<a href="${pagePath(path, page - 1)}" rel="prev">${before}</a>`}${hasNext && html`<a href="${pagePath(path, page + 1)}" rel="next">${after}</a>`}</nav>`
	);
}

/** Returns the path of a page of the list at `path`. */
export function pagePath(path: string, page: number): string {
	return page === 1 ? path : `${path}${path.includes("?") ? "&" : "?"}page=${page}`;
}

/** Returns a path with a query. Empty parameters are omitted. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
	const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
	return parameters.size === 0 ? path : `${path}?${parameters}`;
}

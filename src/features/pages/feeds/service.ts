import { toTimestamp } from "../../../core/lib/clock.ts";
import type { Context } from "../../../core/resort/context.ts";
import { type ExperienceRow, lists } from "../../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import { type PostcardRow, publicPostcards } from "../../../core/resort/postcards/queries.ts";
import type { Task } from "../../../core/store/task.ts";

/**
 * An item of a JSON Feed, version 1.1 (https://www.jsonfeed.org/version/1.1/): a postcard or an experience.
 */
export interface FeedItem {
	/** A URN (RFC 9562). Unlike a URL, it stays the same if the resort moves to another address. */
	readonly id: string;
	/** The page of the item or, if pages are off, its resource of the API. Omitted if the item has no URL. */
	readonly url?: string;
	readonly title: string;
	/** The content as plain text. */
	readonly content_text: string;
	/**
	 * The time of creation. It is also the time of the last update, because only the name and the URL of the
	 * author can change.
	 */
	readonly date_published: string;
	/** The author. Without `url` if the author is deactivated. */
	readonly authors: readonly [{ readonly name: string; readonly url?: string }];
	/** The category of an experience; omitted for a postcard. */
	readonly tags?: readonly [string];
}

/** The maximum number of items in a feed. */
const MAX_ITEMS = 50;

/** The settings that determine the URLs in a feed. */
type Addressed = Pick<Context, "baseUrl" | "page">;

/**
 * Returns the newest public postcards and active experiences, newest first. At equal times, postcards come
 * first.
 */
export function* readFeed(context: Addressed & Pick<Context, "store">): Task<FeedItem[]> {
	const { store } = context;
	const postcards = yield* firstOf(store, publicPostcards, { values: {}, limit: MAX_ITEMS });
	const experiences = yield* firstOf(store, lists.newest.all, { values: {}, limit: MAX_ITEMS });
	return [
		...postcards.map((row) => postcardItem(row, context)),
		...experiences.map((row) => experienceItem(row, context)),
	]
		.sort((a, b) => Date.parse(b.date_published) - Date.parse(a.date_published))
		.slice(0, MAX_ITEMS);
}

function postcardItem(row: PostcardRow, context: Addressed): FeedItem {
	const { id, message, mood, location, senderName, senderId, senderGoneAt } = row;
	return {
		id: `urn:uuid:${id}`,
		// Without web pages, a single postcard has no URL. If all postcards had the same URL, feed readers would
		// merge them.
		...(context.page && { url: urlOf(context, `/postcards/${id}`) }),
		title: `Postcard from ${senderName}`,
		content_text: withFacts(message, { Mood: mood, Place: location }),
		date_published: toTimestamp(row.createdAt),
		authors: [authorOf(context, senderId, senderName, senderGoneAt)],
	};
}

function experienceItem(row: ExperienceRow, context: Addressed): FeedItem {
	const { id, name, category, description, location, creatorId, creatorName, creatorGoneAt } = row;
	return {
		id: `urn:uuid:${id.replace(/^exp-/, "")}`,
		url: urlOf(context, `/experiences/${id}`),
		title: `New experience: ${name}`,
		content_text: withFacts(description, {
			Category: category,
			Place: location,
			Minutes: row.durationMinutes,
			"Relaxation points": row.relaxationPoints,
		}),
		date_published: toTimestamp(row.createdAt),
		authors: [authorOf(context, creatorId, creatorName, creatorGoneAt)],
		tags: [category],
	};
}

function authorOf(context: Addressed, id: string, name: string, goneAt: number | null) {
	return { name, ...(goneAt === null && { url: urlOf(context, `/agents/${id}`) }) };
}

/** Returns the URL of a web page or, if pages are off, of the same resource of the API. */
function urlOf({ baseUrl, page }: Addressed, path: string): string {
	return page ? baseUrl + path : `${baseUrl}/api${path}`;
}

/** Appends facts to a text, one a line. Facts that are null are omitted. */
function withFacts(text: string, facts: Readonly<Record<string, string | number | null>>): string {
	const lines = Object.entries(facts).flatMap(([name, fact]) => (fact === null ? [] : `${name}: ${fact}`));
	return [text, lines.join("\n")].filter((part) => part !== "").join("\n\n");
}

import type { Task } from "../../store/task.ts";
import type { Context } from "../context.ts";
import { type ExperienceRow, lists } from "../guest-made-experiences/queries.ts";
import { firstOf } from "../lists.ts";
import { type PostcardRow, publicPostcards } from "../postcards/queries.ts";

/** A postcard or an experience in a feed, independent of the format. */
export interface FeedItem {
	/** A URN (RFC 9562). Unlike a URL, it stays the same if the resort moves to another address. */
	readonly id: string;
	/** The URL and media type of the item; null if the item has no URL. */
	readonly link: FeedLink | null;
	readonly title: string;
	/** The content as plain text. */
	readonly text: string;
	/**
	 * The time of creation in milliseconds since the epoch. It is also the time of the last update, because
	 * only the name and the URL of the author can change.
	 */
	readonly createdAt: number;
	readonly author: {
		readonly name: string;
		/**
		 * The URL of the author's page or, if pages are off, of the author's profile; null if the author is
		 * deactivated.
		 */
		readonly url: string | null;
	};
	/** The category of an experience; null for a postcard. */
	readonly category: string | null;
}

/** The maximum number of items in a feed. */
export const MAX_ITEMS = 50;

/** An absolute URL and its media type. */
interface FeedLink {
	readonly url: string;
	readonly mediaType: "text/html" | "application/json";
}

/** The settings that determine the URLs in a feed. */
type Addressed = Pick<Context, "baseUrl" | "page">;

/**
 * Returns the newest public postcards and active experiences, newest first. At equal times, postcards come
 * first.
 */
export function* readFeed(context: Addressed & Pick<Context, "store">): Task<FeedItem[]> {
	const { store } = context;
	const postcards = yield* firstOf(store, publicPostcards, {}, MAX_ITEMS);
	const experiences = yield* firstOf(store, lists.newest.all, {}, MAX_ITEMS);
	return [
		...postcards.map((row) => postcardItem(row, context)),
		...experiences.map((row) => experienceItem(row, context)),
	]
		.sort((a, b) => b.createdAt - a.createdAt)
		.slice(0, MAX_ITEMS);
}

function postcardItem(row: PostcardRow, context: Addressed): FeedItem {
	const { id, message, mood, location, createdAt } = row;
	const about = [
		...(mood === null ? [] : [`Mood: ${mood}`]),
		...(location === null ? [] : [`Place: ${location}`]),
	];
	return {
		id: `urn:uuid:${id}`,
		// Without web pages, a single postcard has no URL. If all postcards had the same URL, feed readers would
		// merge them.
		link: context.page ? linkTo(context, `/postcards/${id}`) : null,
		title: `Postcard from ${row.senderName}`,
		text: withLines(message, about),
		createdAt,
		author: {
			name: row.senderName,
			url: profileUrl(context, row.senderId, row.senderGoneAt),
		},
		category: null,
	};
}

function experienceItem(row: ExperienceRow, context: Addressed): FeedItem {
	const { id, name, category, description, location, createdAt } = row;
	return {
		id: `urn:uuid:${id.replace(/^exp-/, "")}`,
		link: linkTo(context, `/experiences/${id}`),
		title: `New experience: ${name}`,
		text: withLines(description, [
			`Category: ${category}`,
			`Place: ${location}`,
			`Minutes: ${row.durationMinutes}`,
			`Relaxation points: ${row.relaxationPoints}`,
		]),
		createdAt,
		author: {
			name: row.creatorName,
			url: profileUrl(context, row.creatorId, row.creatorGoneAt),
		},
		category,
	};
}

/**
 * Returns the URL of an agent's page or, if pages are off, of the agent's profile; null if the agent is
 * deactivated.
 */
function profileUrl(context: Addressed, id: string, goneAt: number | null): string | null {
	return goneAt === null ? linkTo(context, `/agents/${id}`).url : null;
}

/** Returns a link to a web page or, if pages are off, to the same resource of the API. */
function linkTo({ baseUrl, page }: Addressed, path: string): FeedLink {
	return page
		? { url: baseUrl + path, mediaType: "text/html" }
		: { url: `${baseUrl}/api${path}`, mediaType: "application/json" };
}

/** Appends lines to a text. */
function withLines(text: string, lines: readonly string[]): string {
	return lines.length === 0 ? text : `${text}\n\n${lines.join("\n")}`;
}

import type { Task } from "../../store/task.ts";
import type { Context } from "../context.ts";
import {
	type ExperienceRow,
	lists,
} from "../guest-made-experiences/queries.ts";
import { firstOf } from "../lists.ts";
import { type PostcardRow, publicPostcards } from "../postcards/queries.ts";

/** A postcard or an experience in a feed of any format. */
export interface FeedItem {
	/** A URN (RFC 9562), which does not depend on the URL of the resort. */
	readonly id: string;
	/** Its own URL and media type; null if it has none. */
	readonly link: FeedLink | null;
	readonly title: string;
	/** Plain text. */
	readonly text: string;
	/** In milliseconds since the epoch. Also the time of the last update: nothing but the author of an item ever changes. */
	readonly createdAt: number;
	readonly author: {
		readonly name: string;
		/** The agent's page, or its profile if pages are off; null if the agent is deactivated. */
		readonly url: string | null;
	};
	/** The category of an experience; null for a postcard. */
	readonly category: string | null;
}

/** The most items of a feed, of both kinds together. */
export const MAX_ITEMS = 50;

/** An absolute URL. */
interface FeedLink {
	readonly url: string;
	readonly mediaType: "text/html" | "application/json";
}

/** The settings that URLs in a feed depend on. */
type Addressed = Pick<Context, "baseUrl" | "page">;

/** Returns the newest public postcards and active experiences, newest first; at equal times postcards are first. */
export function* readFeed(
	context: Addressed & Pick<Context, "store">,
): Task<FeedItem[]> {
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
		// The API has no URL for a single postcard, and feed readers would merge items that share one.
		link: context.page ? linkTo(context, `/board#card-${id}`) : null,
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

/** Returns the URL of an agent; null if it is deactivated. */
function profileUrl(
	context: Addressed,
	id: string,
	goneAt: number | null,
): string | null {
	return goneAt === null ? linkTo(context, `/agents/${id}`).url : null;
}

/** Returns a link to a page, or to the API if pages are off. */
function linkTo({ baseUrl, page }: Addressed, path: string): FeedLink {
	return page
		? { url: baseUrl + path, mediaType: "text/html" }
		: { url: `${baseUrl}/api${path}`, mediaType: "application/json" };
}

/** Appends lines to a text. */
function withLines(text: string, lines: readonly string[]): string {
	return lines.length === 0 ? text : `${text}\n\n${lines.join("\n")}`;
}

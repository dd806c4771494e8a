import type { Rule } from "../../store/rule.ts";
import { firstOf } from "../lists.ts";
import type { House } from "../operation.ts";
import type { FeedAuthor, FeedItem } from "./model.ts";
import {
	type AuthorRow,
	type ExperienceRow,
	feedExperiences,
	feedPostcards,
	type PostcardRow,
} from "./queries.ts";

/** How many items a feed has at most, of both kinds together. */
const MAX_ITEMS = 50;

/** The newest public postcards and active experiences, newest first; of one moment postcards come first. */
export function* readFeed({
	store,
	baseUrl,
}: Pick<House, "store" | "baseUrl">): Rule<FeedItem[]> {
	const postcards = yield* firstOf(store, feedPostcards, {}, MAX_ITEMS);
	const experiences = yield* firstOf(store, feedExperiences, {}, MAX_ITEMS);
	return [
		...postcards.map((row) => postcardItem(row, baseUrl)),
		...experiences.map((row) => experienceItem(row, baseUrl)),
	]
		.sort((a, b) => b.createdAt - a.createdAt)
		.slice(0, MAX_ITEMS);
}

function postcardItem(row: PostcardRow, baseUrl: string): FeedItem {
	const { id, message, mood, location, createdAt } = row;
	const about = [
		...(mood === null ? [] : [`Mood: ${mood}`]),
		...(location === null ? [] : [`Place: ${location}`]),
	];
	return {
		id: `urn:uuid:${id}`,
		// The board alone shows it, and an address that many items have would be taken for one item.
		url: null,
		title: `Postcard from ${row.authorName}`,
		text: withLines(message, about),
		createdAt,
		author: authorOf(row, baseUrl),
		category: null,
	};
}

function experienceItem(row: ExperienceRow, baseUrl: string): FeedItem {
	const { id, name, category, description, location, createdAt } = row;
	return {
		id: `urn:uuid:${id.replace(/^exp-/, "")}`,
		url: `${baseUrl}/api/experiences/${id}`,
		title: `New experience: ${name}`,
		text: withLines(description, [
			`Category: ${category}`,
			`Place: ${location}`,
			`Minutes: ${row.durationMinutes}`,
			`Relaxation points: ${row.relaxationPoints}`,
		]),
		createdAt,
		author: authorOf(row, baseUrl),
		category,
	};
}

function authorOf(row: AuthorRow, baseUrl: string): FeedAuthor {
	return {
		name: row.authorName,
		url:
			row.authorGoneAt === null
				? `${baseUrl}/api/agents/${row.authorId}`
				: null,
	};
}

/** A text and, apart from it, what else is known. */
function withLines(text: string, lines: readonly string[]): string {
	return lines.length === 0 ? text : `${text}\n\n${lines.join("\n")}`;
}

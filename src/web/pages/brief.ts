/** What the first page shows of guests' texts, so that it stays small whatever they write. Other pages show all. */
import type { ExperienceRow } from "../../resort/experiences/queries.ts";
import type { PostcardRow } from "../../resort/postcards/queries.ts";
import type { LobbyGuest } from "../../resort/presence/model.ts";
import { shortened } from "../shorten.ts";

/** No name of ASCII letters is that long: 100 are the most. */
const NAME_BYTES = 120;

/** Of a message or a description. */
const TEXT_BYTES = 300;

/** Of a mood, a place or a category. */
const WORD_BYTES = 60;

/** A guest with short names. */
export function briefGuest(guest: LobbyGuest): LobbyGuest {
	const { name, currentActivity } = guest;
	return {
		...guest,
		name: nameOf(name),
		currentActivity: currentActivity && {
			...currentActivity,
			name: nameOf(currentActivity.name),
		},
	};
}

/** A postcard with short texts. */
export function briefCard(card: PostcardRow): PostcardRow {
	const { senderName, message, mood, location } = card;
	return {
		...card,
		senderName: nameOf(senderName),
		message: shortened(message, TEXT_BYTES),
		mood: mood && wordOf(mood),
		location: location && wordOf(location),
	};
}

/** An experience with short texts. */
export function briefExperience(row: ExperienceRow): ExperienceRow {
	return {
		...row,
		name: nameOf(row.name),
		description: shortened(row.description, TEXT_BYTES),
		category: wordOf(row.category),
		location: wordOf(row.location),
		creatorName: nameOf(row.creatorName),
	};
}

function wordOf(text: string): string {
	return shortened(text, WORD_BYTES);
}

function nameOf(name: string): string {
	return shortened(name, NAME_BYTES);
}

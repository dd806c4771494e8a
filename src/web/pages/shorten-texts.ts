/**
 * Shortens the texts of guests for the home page, which must stay small. Other pages contain the complete
 * texts.
 */
import { once } from "../../lib/once.ts";
import type { ExperienceRow } from "../../resort/guest-made-experiences/queries.ts";
import type { PostcardRow } from "../../resort/postcards/queries.ts";
import type { LobbyGuest } from "../../resort/presence/model.ts";
import type { ShownCard } from "../fragments.ts";

/**
 * The maximum size of a name in bytes. Names have at most 100 characters, so ASCII names are never shortened.
 */
const NAME_BYTES = 120;

/** The maximum size of a message or a description in bytes. */
const TEXT_BYTES = 220;

/** The maximum size of a mood, a location, a category or the name of a current activity in bytes. */
const WORD_BYTES = 60;

/** Shortens a name. */
export const briefName = (name: string) => shorten(name, NAME_BYTES);

/** Shortens a text that is on one line with other texts. */
export const briefText = (text: string) => shorten(text, WORD_BYTES);

/** Shortens the name of a guest and the name of its current activity. */
export function briefGuest(guest: LobbyGuest): LobbyGuest {
	const { name, currentActivity } = guest;
	return {
		...guest,
		name: shorten(name, NAME_BYTES),
		currentActivity: currentActivity && {
			...currentActivity,
			name: shorten(currentActivity.name, WORD_BYTES),
		},
	};
}

/** Shortens the texts of a postcard. */
export function briefCard(card: PostcardRow): ShownCard {
	const { senderName, message, mood, location } = card;
	const brief = shorten(message, TEXT_BYTES);
	return {
		...card,
		senderName: shorten(senderName, NAME_BYTES),
		message: brief,
		isShortened: brief !== message,
		mood: mood && shorten(mood, WORD_BYTES),
		location: location && shorten(location, WORD_BYTES),
	};
}

/** Shortens the texts of an experience. */
export function briefExperience(row: ExperienceRow): ExperienceRow {
	return {
		...row,
		name: shorten(row.name, NAME_BYTES),
		description: shorten(row.description, TEXT_BYTES),
		category: shorten(row.category, WORD_BYTES),
		location: shorten(row.location, WORD_BYTES),
		creatorName: shorten(row.creatorName, NAME_BYTES),
	};
}

const ELLIPSIS = "…";

/** The maximum size of a UTF-16 code unit in UTF-8, in bytes. */
const MOST_BYTES = 3;

/**
 * Shortens a text to a number of UTF-8 bytes. Cuts the text between two graphemes and appends "…". If even
 * the first grapheme is too long, cuts the text between two code points.
 * @param maxBytes at least 7, enough for one code point and "…"
 */
export function shorten(text: string, maxBytes: number): string {
	if (text.length * MOST_BYTES <= maxBytes) return text;
	const bytes = Buffer.from(text);
	if (bytes.length <= maxBytes) return text;
	const available = maxBytes - Buffer.byteLength(ELLIPSIS);
	// In streaming mode, the decoder omits an incomplete code point at the end.
	const start = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, available), {
		stream: true,
	});
	const { index = 0 } = segmenter().segment(text).containing(start.length) ?? {};
	return text.slice(0, index || start.length).trimEnd() + ELLIPSIS;
}

const segmenter = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

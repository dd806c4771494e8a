/**
 * Shortens the texts of guests for the home page, which must stay small. Other pages contain the complete
 * texts.
 */
import type { PostcardRow } from "../../../core/resort/postcards/queries.ts";
import type { LobbyGuest } from "../../../core/resort/presence/model.ts";
import type { ShownCard } from "../fragments.ts";

/**
 * The maximum size of a name in bytes. Names have at most 100 characters, so ASCII names are never shortened.
 */
const NAME_BYTES = 120;

/** The maximum size of a message or a description in bytes. */
const TEXT_BYTES = 220;

/** The maximum size of a text that is on one line with others in bytes. */
const WORD_BYTES = 60;

/** The fields with texts of guests, and the maximum size of each in bytes. */
const maxBytes = {
	name: NAME_BYTES,
	senderName: NAME_BYTES,
	creatorName: NAME_BYTES,
	message: TEXT_BYTES,
	description: TEXT_BYTES,
	mood: WORD_BYTES,
	location: WORD_BYTES,
	category: WORD_BYTES,
};

/** Shortens a name. */
export const briefName = (name: string) => shorten(name, NAME_BYTES);

/** Shortens a text that is on one line with other texts. */
export const briefText = (text: string) => shorten(text, WORD_BYTES);

/** Shortens the texts of guests in a row. */
export function brief<Row extends object>(row: Row): Row {
	const texts: Record<string, string> = {};
	for (const [name, most] of Object.entries(maxBytes)) {
		const value: unknown = Reflect.get(row, name);
		if (typeof value === "string") texts[name] = shorten(value, most);
	}
	return { ...row, ...texts };
}

/** Shortens the name of a guest and the name of its current activity. */
export function briefGuest(guest: LobbyGuest): LobbyGuest {
	const { currentActivity: doing } = guest;
	return { ...brief(guest), currentActivity: doing && { ...doing, name: briefText(doing.name) } };
}

/** Shortens the texts of a postcard. */
export function briefCard(card: PostcardRow): ShownCard {
	const short = brief(card);
	return { ...short, isShortened: short.message !== card.message };
}

const ELLIPSIS = "…";

/** Shortens a text to a number of UTF-8 bytes. Cuts the text between two code points and appends "…". */
export function shorten(text: string, maxBytes: number): string {
	if (Buffer.byteLength(text) <= maxBytes) return text;
	const bytes = Buffer.from(text).subarray(0, maxBytes - Buffer.byteLength(ELLIPSIS));
	// In streaming mode, the decoder omits an incomplete code point at the end.
	return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true }).trimEnd() + ELLIPSIS;
}

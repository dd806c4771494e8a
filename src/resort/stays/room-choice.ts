import { type RoomType, roomTypes } from "../../content/rooms.ts";
import { once } from "../../lib/once.ts";
import { pickOne, type Random } from "../../lib/random.ts";

/** Rooms of one type are numbered from 1 to this. */
export const ROOMS_PER_TYPE = 99;

/** What each word of the type's name is worth when the preference holds the whole name. */
const NAME_MATCH = 100;

/** What each word of a keyword in the preference is worth; a single word of the type's name is worth 1. */
const KEYWORD_MATCH = 2;

const index = once(() =>
	roomTypes.map((type) => ({
		type,
		name: phrase(type.name),
		nameWords: phrase(type.name.replace(/\broom$/i, ""))
			.trim()
			.split(" ")
			.map(phrase),
		keywords: type.keywords.map(phrase),
	})),
);

/**
 * The room type that suits a preference best by name or keywords, ignoring case; any of them when
 * several do equally, or none does.
 * @param preference what the guest would like; null for nothing
 */
export function chooseRoomType(
	random: Random,
	preference: string | null,
): RoomType {
	const wish = phrase(preference ?? "");
	const found = (phrases: readonly string[]) =>
		phrases.reduce(
			(words, one) => words + (wish.includes(one) ? countWords(one) : 0),
			0,
		);
	const scored = index().map(({ type, name, nameWords, keywords }) => ({
		type,
		score:
			NAME_MATCH * found([name]) +
			KEYWORD_MATCH * found(keywords) +
			found(nameWords),
	}));
	const best = Math.max(...scored.map(({ score }) => score));
	return pickOne(
		random,
		scored.filter(({ score }) => score === best),
	).type;
}

/**
 * A number for a room that no open stay of its type has, while one is free.
 * @param taken numbers in use
 */
export function chooseRoomNumber(
	random: Random,
	taken: ReadonlySet<number>,
): number {
	const numbers = Array.from({ length: ROOMS_PER_TYPE }, (_, at) => at + 1);
	const free = numbers.filter((number) => !taken.has(number));
	return pickOne(random, free.length > 0 ? free : numbers);
}

/** The words of a text between single spaces, in lower case, so that only whole words are found in it. */
function phrase(text: string): string {
	return ` ${text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean)
		.join(" ")} `;
}

function countWords(phrase: string): number {
	return phrase.trim().split(" ").length;
}

import { type RoomType, roomTypes } from "../../../content/rooms.ts";
import { once } from "../../lib/once.ts";
import { pickOne, type Random } from "../../lib/random.ts";

/** The number of rooms of each type. Rooms are numbered from 1. */
export const ROOMS_PER_TYPE = 99;

/** The score for each word in the name of a room type, if the preference contains the whole name. */
const NAME_MATCH = 100;

/** The score for each word of a keyword that the preference contains. A word of the room's name scores 1. */
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
 * Returns the room type with the highest score for a preference, ignoring case; if several types have it, a
 * random one of them.
 * @param preference null if the guest has none
 */
export function chooseRoomType(random: Random, preference: string | null): RoomType {
	const wish = phrase(preference ?? "");
	const wordsIn = (phrases: readonly string[]) =>
		phrases.filter((one) => wish.includes(one)).flatMap((one) => one.trim().split(" ")).length;
	const scored = index().map(({ type, name, nameWords, keywords }) => ({
		type,
		score: NAME_MATCH * wordsIn([name]) + KEYWORD_MATCH * wordsIn(keywords) + wordsIn(nameWords),
	}));
	const highest = Math.max(...scored.map(({ score }) => score));
	const best = scored.filter(({ score }) => score === highest);
	return pickOne(random, best).type;
}

/** Returns a random room number that is not taken; if all numbers are taken, any random number. */
export function chooseRoomNumber(random: Random, taken: ReadonlySet<number>): number {
	const numbers = Array.from({ length: ROOMS_PER_TYPE }, (_, at) => at + 1);
	const free = numbers.filter((number) => !taken.has(number));
	return pickOne(random, free.length > 0 ? free : numbers);
}

/** Returns the words of a text in lower case, each between spaces, so that a search matches whole words. */
function phrase(text: string): string {
	return ` ${text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean)
		.join(" ")} `;
}

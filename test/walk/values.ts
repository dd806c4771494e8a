import { MAX_BODY_BYTES } from "./fields.ts";
import type { SeededRandom } from "./random.ts";

const vocabulary = [
	"Fog",
	"moss",
	"Lantern",
	"tide",
	"Ürmel",
	"kelp",
	"🌴",
	"slow",
	"hammock",
	"0",
	"<b>",
	"it's",
	'"quoted"',
	"日本",
	"%00",
	"null",
] as const;

/** Strings that cannot be stored and given back unchanged. */
const unstorable = [
	"NUL \0 inside",
	"lone \ud800",
	"\udc00 lone",
	"\udf34\ud83c",
] as const;

const notText = [0, true, ["text"], { text: "text" }, 1.5] as const;

/** How often a field is out of its bounds. */
const MISHAP = 0.02;

/** A few words. */
export function phrase(dice: SeededRandom): string {
	return Array.from({ length: dice.between(2, 4) }, () =>
		dice.pick(...vocabulary),
	).join(" ");
}

/** A text for a field of these bounds: mostly within, now and then at a bound or past it, or no text at all. */
export function textFor(
	dice: SeededRandom,
	least: number,
	most: number,
): unknown {
	if (dice.chance(MISHAP)) {
		return dice.weighted<unknown>([
			[4, "a".repeat(most + 1)],
			[2, "🌴".repeat(most + 1)],
			[
				least > 0 ? 4 : 0,
				dice.pick(" ", "\t\n ", "") + "a".repeat(Math.max(0, least - 1)),
			],
			[2, dice.pick(...unstorable)],
			[2, dice.pick<unknown>(...notText)],
		]);
	}
	if (dice.chance(0.06)) {
		const length = dice.pick(least, most, most);
		return dice.pick("", " ") + dice.pick("a", "🌴", "é").repeat(length);
	}
	const words = phrase(dice).slice(0, most).toWellFormed().padEnd(least, ".");
	return dice.pick("", "", "", "  ", "\n") + words + dice.pick("", "", " ");
}

/** A whole number for a field of these bounds, or now and then what is none. */
export function integerFor(
	dice: SeededRandom,
	least: number,
	most: number,
): unknown {
	if (dice.chance(MISHAP)) {
		return dice.pick<unknown>(
			least - 1,
			most + 1,
			least + 0.5,
			String(least),
			-least,
			true,
			[least],
		);
	}
	return dice.weighted([
		[1, least],
		[1, most],
		[8, dice.between(least, most)],
	]);
}

/** A list of short strings for a profile, or now and then what is too much. */
export function listFor(dice: SeededRandom): unknown {
	if (dice.chance(MISHAP)) {
		return dice.pick<unknown>(
			Array(11).fill("rest"),
			["a".repeat(51)],
			[1],
			["rest", null],
			"rest",
			{ 0: "rest" },
		);
	}
	const length = dice.pick(0, 1, 2, 2, 3, 10);
	return Array.from({ length }, () =>
		dice.pick(
			phrase(dice),
			phrase(dice),
			` ${phrase(dice)}\n`,
			"🌴".repeat(50),
		),
	);
}

/** An avatar's address, or now and then what is none. */
export function urlFor(dice: SeededRandom): unknown {
	const base = "https://example.org/";
	return dice.chance(0.06)
		? dice.pick<unknown>(
				"http://example.org/a.png",
				"https://",
				"https:///a.png",
				"example.org/a.png",
				"ftp://example.org",
				base.padEnd(501, "a"),
				7,
			)
		: dice.pick(
				`${base}${dice.below(1_000)}.png`,
				` ${base}a%20b?c=d#e `,
				base.padEnd(500, "a"),
				"https://例え.jp/🌴.png",
			);
}

/**
 * An object with some of these fields.
 * @param required always there
 * @param optional each one often absent, now and then null
 */
export function fieldsFor(
	dice: SeededRandom,
	required: Readonly<Record<string, () => unknown>>,
	optional: Readonly<Record<string, () => unknown>> = {},
): Record<string, unknown> {
	const body: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(required)) {
		if (dice.chance(MISHAP / 4)) continue;
		body[name] = dice.chance(MISHAP / 4) ? null : value();
	}
	for (const [name, value] of Object.entries(optional)) {
		if (dice.chance(0.5)) continue;
		body[name] = dice.chance(0.08) ? null : value();
	}
	if (dice.chance(0.03)) body.unknown = dice.pick<unknown>(1, "x", null, {});
	if (dice.chance(0.01)) {
		const count = dice.pick(1, 10, 11);
		for (let at = 0; at < count; at++) {
			body[`${at} ${dice.pick("note", "\0", "🌴".repeat(63))}`] = at;
		}
	}
	return body;
}

/** Now and then a body that is no object, does not say that it is JSON, or is as large as it may be or larger. */
export function brokenBody(
	dice: SeededRandom,
): { text: string; type?: string } | undefined {
	if (!dice.chance(0.02)) return undefined;
	const type = "application/json";
	return dice.pick<{ text: string; type?: string }>(
		{ text: "" },
		{ text: "", type },
		{ text: "{}" },
		{ text: "{}", type: "text/plain" },
		{ text: "{}", type: "application/json; charset=utf-8" },
		{ text: "{", type },
		{ text: "null", type },
		{ text: "[{}]", type },
		{ text: '"text"', type },
		{ text: padded(MAX_BODY_BYTES), type },
		{ text: padded(MAX_BODY_BYTES + 1), type },
		{ text: padded(2 * MAX_BODY_BYTES) },
	);
}

/** An object without a known field, of so many bytes. */
function padded(bytes: number): string {
	const empty = JSON.stringify({ pad: "" });
	return JSON.stringify({ pad: "p".repeat(bytes - empty.length) });
}

/** Paging for a query: often none, sometimes small, now and then broken. */
export function pagingFor(dice: SeededRandom): (readonly [string, string])[] {
	const pairs: (readonly [string, string])[] = [];
	if (dice.chance(0.55)) {
		pairs.push(["limit", wholeFor(dice, ["0", "101", "-1"], "100")]);
	}
	if (dice.chance(0.4)) {
		pairs.push(["offset", wholeFor(dice, ["-1", "2147483648"], "20000")]);
	}
	if (dice.chance(0.03)) pairs.push(["limit", String(dice.between(1, 9))]);
	if (dice.chance(0.02)) pairs.push(["page", "-1"]);
	return pairs;
}

function wholeFor(
	dice: SeededRandom,
	outside: readonly [string, ...string[]],
	most: string,
): string {
	return dice.weighted([
		[60, String(dice.between(1, 4))],
		[30, String(dice.between(5, 30))],
		[4, most],
		[2, dice.pick(...outside)],
		[2, dice.pick("", "1e1", "0x5", "1.0", "+1", " 1", "many", "1,2")],
	]);
}

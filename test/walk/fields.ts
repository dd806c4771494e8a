import { type Call, isByHost } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";
import type { Targets } from "./targets.ts";

const MAX_OFFSET = 2_147_483_647;

/** The sources from which the walk draws random calls: its random numbers, and the state of the model. */
export interface Source {
	readonly dice: SeededRandom;
	readonly state: State;
	readonly targets: Targets;
}

/** The sources from which the value of a field is drawn. */
export interface Drawer extends Source {
	readonly caller: Agent | undefined;
}

/** A field of a body or query. `draw` returns a random value to send; `read` parses it as the resort does. */
export interface Field<T> {
	readonly draw: (drawer: Drawer) => unknown;
	readonly read: (value: unknown) => T;
	/** Whether the values of a repeated parameter are joined. Otherwise, the last one counts. */
	readonly isList?: true;
}

/** The fields of an operation by name. */
export type Table = Readonly<Record<string, Field<unknown>>>;

/** The return value of each field's `read`, by the name of the field. */
export type Fields<F> = {
	[Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

const vocabulary = [
	"Fog",
	"moss",
	"Lantern",
	"Ürmel",
	"🌴",
	"slow",
	"0",
	"<b>",
	"it's",
	'"quoted"',
	"日本",
	"%00",
	"null",
	"葛\u{e0100}",
	"نمی\u200cدانم",
] as const;

/** Returns a few random words. */
export function phrase(dice: SeededRandom): string {
	const words = Array.from({ length: dice.between(2, 4) }, () => dice.pick(...vocabulary));
	return words.join(" ");
}

/** A text, sometimes of the minimum or maximum length. */
export function text(
	least: number,
	most: number,
	draw = ({ dice }: Drawer): string => {
		if (dice.chance(0.06)) {
			const length = dice.pick(least, most, most);
			return dice.pick("", " ") + dice.pick("a", "🌴", "é").repeat(length);
		}
		const words = phrase(dice).slice(0, most).toWellFormed();
		return dice.pick("", "", "  ", "\n") + words.padEnd(2 * least, ".");
	},
): Field<string> {
	return { draw, read: (value) => String(value).trim() };
}

/** An https: URL. */
export const httpsUrl: Field<string> = {
	...text(0, 500),
	draw: ({ dice }) =>
		dice.pick(
			`https://example.org/${dice.below(1_000)}.png`,
			" https://example.org/a%20b?c=d#e ",
			"https://example.org/".padEnd(500, "a"),
			"https://例え.jp/🌴.png",
		),
};

/** A whole number in a body. */
export function integer(least: number, most: number): Field<number> {
	return {
		draw: ({ dice }) =>
			dice.weighted([
				[1, least],
				[1, most],
				[8, dice.between(least, most)],
			]),
		read: Number,
	};
}

/** The id of an agent, or sometimes an unknown id. */
export const agentId: Field<string> = {
	draw: ({ targets }) => targets.agentId(),
	read: (value) => String(value).toLowerCase(),
};

/** A list of at most ten strings of at most 50 characters. */
export const list: Field<string[]> = {
	draw: ({ dice }) =>
		dice.chance(0.5)
			? undefined
			: Array.from({ length: dice.pick(0, 1, 2, 10) }, () =>
					dice.pick(` ${phrase(dice)}\n`, "🌴".repeat(50)),
				),
	read: (value) => (Array.isArray(value) ? value.map((item) => String(item).trim()) : []),
};

/** A field that is often omitted. */
export function maybe<T>(field: Field<T>): Field<T> {
	return { ...field, draw: (drawer) => (drawer.dice.chance(0.5) ? undefined : field.draw(drawer)) };
}

/** A field that is often omitted or null. A text that is empty after trimming counts as null. */
export function optional<T>(field: Field<T>): Field<T | null> {
	return maybe<T | null>({
		...field,
		draw: (drawer) => (drawer.dice.chance(0.1) ? null : field.draw(drawer)),
		read: (value) => {
			const read = value == null ? null : field.read(value);
			return read === "" ? null : read;
		},
	});
}

/** A whole number in a query. */
export function digits<P extends number | null>(most: number, preset: P): Field<number | P> {
	return {
		draw: ({ dice }) =>
			dice.weighted([
				[50, undefined],
				[30, String(dice.between(1, 4))],
				[15, String(dice.between(5, 30))],
				[3, String(Math.min(most, 20_000))],
			]),
		read: (value) => (value === undefined ? preset : Number(value)),
	};
}

/** One of several words in a query. */
export function oneOf<T extends string, P extends T | null>(
	preset: P,
	...words: readonly [T, ...T[]]
): Field<T | P> {
	return {
		draw: ({ dice }) => (dice.chance(0.4) ? undefined : dice.pick(...words)),
		read: (value) => words.find((word) => word === value) ?? preset,
	};
}

/** The paging parameters of a list. */
export const paging = { limit: digits(100, null), offset: digits<number | null>(MAX_OFFSET, null) };

/** Draws a valid body or query, or sometimes a body that is not an object. */
export function draw(
	operation: string,
	fields: Table,
	drawer: Drawer,
): Pick<Call, "body" | "raw" | "query" | "isBroken"> {
	const { dice } = drawer;
	const isQuery = operation.startsWith("GET ");
	if (!isQuery && !isByHost({ operation }) && dice.chance(0.02)) {
		return { raw: dice.pick("{", "null", "[{}]", '"text"'), isBroken: true };
	}
	const values: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(fields)) {
		const value = field.draw(drawer);
		if (value !== undefined) values[name] = value;
	}
	// A PATCH whose body has no fields is invalid.
	const isVoid = operation.startsWith("PATCH ") && Object.keys(values).length === 0;
	if (isVoid) return { body: values, isBroken: true };
	if (isQuery) return { query: pairsOf(values) };
	return Object.keys(fields).length > 0 ? { body: values } : {};
}

/** Returns a query. A list of values becomes a repeated parameter. */
export function pairsOf(values: Readonly<Record<string, unknown>>): NonNullable<Call["query"]> {
	return Object.entries(values).flatMap(([name, value]) =>
		[value].flat().map((one) => [name, String(one)] as const),
	);
}

/** Returns the values of all fields in the body or query of a call. */
export function readAll<F extends Table>(fields: F, { body, query = [] }: Call): Fields<F> {
	const sent = (name: string, { isList }: Field<unknown>): unknown => {
		if (body !== undefined) return Reflect.get(body, name);
		const values = query.filter(([one]) => one === name);
		const texts = values.map(([, value]) => value);
		return isList && texts.length > 0 ? texts.join(",") : texts.at(-1);
	};
	return Object.fromEntries(
		Object.entries(fields).map(([name, field]) => [name, field.read(sent(name, field))]),
	) as Fields<F>;
}

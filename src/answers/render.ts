import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { createMirror } from "exact-mirror";
import { plainest } from "../resort/bounds.ts";
import type { Operation } from "../resort/operation.ts";
import { LongList } from "../resort/reply.ts";
import { SLICE } from "../store/page.ts";
import { Body, Hash } from "./body.ts";
import { pause, type Turns } from "./turns.ts";

/** Takes a value to what its schema knows of it. */
type Mirror = (value: unknown) => unknown;

const mirrors = new WeakMap<TSchema, Mirror>();

/**
 * The schema of an answer's body.
 * @param view what the query says of it, if it says anything
 * @throws Error when the operation has no answer with that status
 */
export function schemaOf(
	{ answers, views }: Operation,
	status: number,
	view?: string | number,
): TSchema {
	const schema = views?.[view ?? ""] ?? answers[status];
	if (schema === undefined) throw new Error(`no answer for ${status}`);
	return schema;
}

/**
 * The JSON of a success: the fields that its schema knows and no others, so that nothing leaks.
 * @param body without `ok`
 */
export function renderJson(schema: TSchema, body: object): string {
	return JSON.stringify(mirrorOf(schema)({ ok: true, ...body }));
}

/** The long list in an answer, by the name of its field; null when there is none. */
export function longListOf(
	body: object,
): { readonly name: string; readonly list: LongList<unknown> } | null {
	for (const [name, list] of Object.entries(body)) {
		if (list instanceof LongList) return { name, list };
	}
	return null;
}

/**
 * The body of an answer with a long list, which is read and written in slices.
 */
export function renderLong(
	schema: TSchema,
	body: object,
	{ name, list }: NonNullable<ReturnType<typeof longListOf>>,
	turns: Turns,
): Promise<Body> {
	return turns.take(async () => {
		const around = renderJson(schema, { ...body, [name]: [] });
		// Within a string of JSON the quotation marks would be escaped.
		const place = `"${name}":[`;
		const at = around.indexOf(`${place}]`) + place.length;
		const mirror = mirrorOf(schema.properties[name].items);
		const start = Buffer.from(around.slice(0, at));
		const parts = [start];
		const hash = new Hash(start);
		const add = (text: string) => {
			const part = Buffer.from(text);
			parts.push(part);
			hash.add(part);
		};
		for (let from = 0; from < list.keys.length; from += SLICE) {
			if (from > 0) await pause();
			const rows = list.read(list.keys.slice(from, from + SLICE));
			const texts = rows.map((row) => JSON.stringify(mirror(row)));
			if (texts.length === 0) continue;
			const separator = parts.length > 1 ? "," : "";
			add(separator + texts.join(","));
		}
		add(around.slice(at));
		return new Body(Buffer.concat(parts), hash);
	});
}

function mirrorOf(schema: TSchema): Mirror {
	let mirror = mirrors.get(schema);
	if (mirror === undefined) {
		const check = TypeCompiler.Compile(schema);
		const mirrored = createMirror(schema, { TypeCompiler }) as Mirror;
		mirror = (value) => {
			if (!check.Check(value)) throw unfit(check.Errors(value).First());
			return mirrored(value);
		};
		mirrors.set(schema, mirror);
	}
	return mirror;
}

/** Names the place alone: the value may be a key or a private postcard. */
function unfit(first: ValueError | undefined): Error {
	const error = plainest(first);
	return new Error(
		`answer does not fit its schema: ${error?.path} ${error?.message}`,
	);
}

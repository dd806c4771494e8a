import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { createMirror } from "exact-mirror";
import { pause } from "../lib/pause.ts";
import { plainest } from "../resort/bounds.ts";
import type { Operation } from "../resort/operation.ts";
import { LongList } from "../resort/reply.ts";
import { SLICE } from "../store/page.ts";
import type { Store } from "../store/store.ts";
import { Body, Hash } from "./body.ts";

/** Copies what its schema knows of a value. */
type Mirror = (value: unknown) => unknown;

const mirrors = new WeakMap<TSchema, Mirror>();

/**
 * The schema of an answer's body.
 * @param query a judged one, whose parameter `view` may choose another schema
 * @throws Error when the operation has no answer with that status
 */
export function schemaOf(
	{ answers, views }: Operation,
	status: number,
	query: unknown,
): TSchema {
	const { view } = query as { readonly view?: string };
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
 * The body of an answer with a list, which is read and written in slices.
 * @param keys of the rows that are shown
 */
export async function renderList(
	store: Store,
	schema: TSchema,
	body: object,
	{ name, list }: NonNullable<ReturnType<typeof longListOf>>,
	keys: readonly number[],
): Promise<Body> {
	const around = renderJson(schema, { ...body, [name]: [] });
	// It cannot occur inside a string of JSON, where quotation marks are escaped.
	const place = `"${name}":[`;
	const at = around.indexOf(`${place}]`) + place.length;
	const mirror = mirrorOf(schema.properties[name].items);
	const hash = new Hash();
	const parts: Buffer<ArrayBuffer>[] = [];
	const add = (text: string) => {
		const part = Buffer.from(text);
		parts.push(part);
		hash.add(part);
	};
	add(around.slice(0, at));
	for (let from = 0; from < keys.length; from += SLICE) {
		if (from > 0) await pause();
		const slice = keys.slice(from, from + SLICE);
		const rows = await store.read(() => list.read(slice));
		if (rows.length === 0) continue;
		// One text for all rows, without its brackets: a text for each row would leave much garbage.
		const text = JSON.stringify(rows.map(mirror)).slice(1, -1);
		add(parts.length > 1 ? `,${text}` : text);
	}
	add(around.slice(at));
	if (keys.length > SLICE) await pause();
	return Body.ofParts(parts, hash.end());
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

import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { createMirror } from "exact-mirror";
import { pause } from "../lib/pause.ts";
import { plainest } from "../resort/bounds.ts";
import type { Operation } from "../resort/operation.ts";
import { LongList } from "../resort/reply.ts";
import { SLICE } from "../store/page.ts";
import { Body, hasher } from "./body.ts";

/** Takes a value to what its schema knows of it. */
type Mirror = (value: unknown) => unknown;

const mirrors = new WeakMap<TSchema, Mirror>();

/**
 * The JSON of an answer: the fields that its schema knows and no others, so that nothing leaks.
 * @param body without `ok`
 */
export function renderJson(
	{ answers }: Operation,
	status: number,
	body: object,
): string {
	const schema = answers[status];
	if (schema === undefined) throw new Error(`no answer for ${status}`);
	return JSON.stringify(mirrorOf(schema)(withOk(status, body)));
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
	operation: Operation,
	body: object,
	{ name, list }: NonNullable<ReturnType<typeof longListOf>>,
	keys: readonly number[],
): Promise<Body> {
	const around = renderJson(operation, 200, { ...body, [name]: [] });
	// Within a string of JSON the quotation marks would be escaped.
	const place = `"${name}":[`;
	const at = around.indexOf(`${place}]`) + place.length;
	const items = operation.answers[200]?.properties[name].items;
	const mirror = mirrorOf(items);
	const hash = hasher();
	const parts: Buffer<ArrayBuffer>[] = [];
	const add = (text: string) => {
		const part = Buffer.from(text);
		parts.push(part);
		hash.update(part);
	};
	add(around.slice(0, at));
	for (let from = 0; from < keys.length; from += SLICE) {
		if (from > 0) await pause();
		const rows = list.read(keys.slice(from, from + SLICE));
		const texts = rows.map((row) => JSON.stringify(mirror(row)));
		if (texts.length === 0) continue;
		const separator = parts.length > 1 ? "," : "";
		add(separator + texts.join(","));
	}
	add(around.slice(at));
	if (keys.length > SLICE) await pause();
	return Body.ofParts(parts, hash.digest("hex"));
}

function withOk(status: number, body: object): object {
	return status < 400 ? { ok: true, ...body } : body;
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

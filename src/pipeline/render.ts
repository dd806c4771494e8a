import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { createMirror } from "exact-mirror";
import { plainest } from "../resort/bounds.ts";
import type { Operation } from "../resort/operation.ts";

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

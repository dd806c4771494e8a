import { call } from "../call.ts";
import { type ClientOperation, operationAt } from "../catalogue.ts";
import type { Command, Context } from "../command.ts";
import { flagsOf, valuesOf } from "../flags.ts";

/** A command that is one operation: its flags are the fields, its word is the id in the path. */
export function plain(route: string): Command {
	const operation = operationAt(route);
	return {
		...shapeOf(operation),
		run: (context) => runOperation(context, operation),
	};
}

/** Words and flags of an operation. */
export function shapeOf({
	summary,
	fields,
}: ClientOperation): Omit<Command, "run"> {
	const count = fields.filter(({ place }) => place === "path").length;
	return {
		summary,
		words: count === 0 ? "" : "ID",
		count: [count, count],
		flags: flagsOf(fields),
	};
}

/** Calls an operation with the words and flags of the command line, and shows its answer. */
export async function runOperation(
	{ line, known, configuration, show }: Context,
	operation: ClientOperation,
): Promise<void> {
	const values = valuesOf(line, flagsOf(operation.fields));
	const [id] = line.words;
	const isMine = operation.need === "must";
	const configured = isMine ? await known() : configuration();
	show(
		await call(configured, operation, {
			...values,
			...(id !== undefined && { id }),
		}),
	);
}

/**
 * A command that is one of two operations with the same fields.
 * @param other whether it is the second one
 */
export function either(
	first: string,
	second: string,
	summary: string,
	other: (context: Context) => boolean,
): Command {
	const operations = [operationAt(first), operationAt(second)] as const;
	const [one, two] = operations;
	const { words, count } = shapeOf(one);
	return {
		summary,
		words,
		count,
		flags: flagsOf([...one.fields, ...two.fields]),
		run: (context) => runOperation(context, other(context) ? two : one),
	};
}

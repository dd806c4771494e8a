import { call, type Values } from "../call.ts";
import { type ClientOperation, operationAt } from "../catalogue.ts";
import type { Command, Context } from "../command.ts";
import { flagsOf, requireFlags, valuesOf } from "../flags.ts";

/**
 * A command that is one operation: its flags are the fields, its word is the id in the path.
 * @param example what stands behind its name in the help
 * @param standsFor other operations for which it is named in hints
 */
export function plain(
	route: string,
	example = "",
	standsFor: readonly string[] = [],
): Command {
	const operation = operationAt(route);
	return {
		...shapeOf(operation),
		example,
		routes: [route, ...standsFor],
		run: (context) => runOperation(context, operation),
	};
}

/** Words and flags of an operation. */
function shapeOf({
	summary,
	description,
	fields,
}: ClientOperation): Omit<Command, "run"> {
	const count = fields.filter(({ place }) => place === "path").length;
	return {
		summary,
		about: description,
		words: count === 0 ? "" : "ID",
		count: [count, count],
		flags: flagsOf(fields),
	};
}

/** Calls an operation with the words and flags of the command line, and shows its answer. */
async function runOperation(
	{ line, known, configuration, show }: Context,
	operation: ClientOperation,
): Promise<void> {
	const values = valuesOf(line, flagsOf(operation.fields));
	requireFlags(values, operation.fields);
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
 * A command that is one of two operations.
 * @param isSecond whether it is the second one, by the first word and the fields that were given
 */
export function either(
	first: string,
	second: string,
	summary: string,
	example: string,
	isSecond: (word: string, values: Values) => boolean,
): Command {
	const operations = [operationAt(first), operationAt(second)] as const;
	const [one, two] = operations;
	const { words, count } = shapeOf(one);
	const flags = flagsOf([...one.fields, ...two.fields]);
	return {
		summary,
		about: `${two.summary}: ${two.description}`,
		example,
		routes: [first, second],
		words,
		count,
		flags,
		run(context) {
			const [word = ""] = context.line.words;
			const takesSecond = isSecond(word, valuesOf(context.line, flags));
			return runOperation(context, takesSecond ? two : one);
		},
	};
}

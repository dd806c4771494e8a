import { type ClientOperation, operationAt } from "../catalogue.ts";
import type { Command, Context } from "../client-command.ts";
import { flagsOf, requireFields, valuesOf } from "../field-flags.ts";
import { call, type Values } from "../operation-call.ts";

/**
 * A command that calls one operation: its flags are the fields, its word is the id in the path.
 * @param standsFor further operations that hints show as this command
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

function shapeOf({
	summary,
	description,
	fields,
}: ClientOperation): Omit<Command, "run"> {
	return {
		summary,
		about: description,
		words: fields.some(({ place }) => place === "path") ? "ID" : "",
		flags: flagsOf(fields),
	};
}

async function runOperation(
	{ line, configurationFor, show }: Context,
	operation: ClientOperation,
): Promise<void> {
	const values = valuesOf(line, operation.fields);
	requireFields(values, operation.fields);
	const [id] = line.words;
	const configured = await configurationFor(operation);
	show(
		await call(configured, operation, {
			...values,
			...(id !== undefined && { id }),
		}),
	);
}

/** A command that calls one of two operations: the second if the first word and the values of the flags select it. */
export function either(
	first: string,
	second: string,
	summary: string,
	example: string,
	isSecond: (word: string, values: Values) => boolean,
): Command {
	const [one, two] = [operationAt(first), operationAt(second)];
	const fields = [...one.fields, ...two.fields];
	return {
		...shapeOf(one),
		summary,
		about: `${two.summary}: ${two.description}`,
		flags: flagsOf(fields),
		example,
		routes: [first, second],
		run(context) {
			const [word = ""] = context.line.words;
			const takesSecond = isSecond(word, valuesOf(context.line, fields));
			return runOperation(context, takesSecond ? two : one);
		},
	};
}

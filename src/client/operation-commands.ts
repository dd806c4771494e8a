/** The commands that call an operation and show its answer. */
import { parseObject } from "../lib/record.ts";
import { UsageError } from "../lib/start-error.ts";
import { configurationFor } from "./account-commands.ts";
import {
	type ClientOperation,
	catalogue,
	operationAt,
	operationOf,
} from "./catalogue.ts";
import type { Command, Context } from "./client-command.ts";
import { Failure } from "./client-failure.ts";
import { flagsOf, requireFields, valuesOf } from "./field-flags.ts";
import { helpOfOperation } from "./help.ts";
import { call, callForBytes, type Values } from "./operation-call.ts";
import { isTerminal, print } from "./terminal.ts";
import { cleanLines } from "./terminal-text.ts";

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
	context: Context,
	operation: ClientOperation,
): Promise<void> {
	const { line, show } = context;
	const values = valuesOf(line, operation.fields);
	requireFields(values, operation.fields);
	const [id] = line.words;
	if (id !== undefined) values.id = id;
	const configuration = await configurationFor(context, operation);
	show(await call(configuration, operation, values));
}

/** `call OPERATION [JSON]`: calls any operation. */
export const callOperation: Command = {
	summary: "Call any operation, with one JSON object for path, query and body",
	words: "OPERATION [JSON]",
	about: "call OPERATION --help shows its fields.",
	example: `archiveExperience '{"id":"exp-..."}'`,
	flags: {},
	choices: catalogue.map(({ id }) => id),
	helpOn: ([id]) => (id === undefined ? "" : helpOfOperation(operationOf(id))),
	async run(context) {
		const { line, name, show } = context;
		const [id = "", text = "{}"] = line.words;
		const operation = operationOf(id);
		const { fields, takesKey, returnsKey } = operation;
		if (takesKey) {
			throw new UsageError(
				`${id} takes a key, which no command line should show`,
			);
		}
		const values = parseObject(text);
		if (values === null) {
			throw new UsageError("the second word must be a JSON object");
		}
		// The phase `discover` suggests names and registers nobody.
		if (returnsKey && values.phase !== "discover") {
			throw new UsageError(`${id} returns a key: use register, or key rotate`);
		}
		const missing = fields.find(
			(field) => field.place === "path" && values[field.name] === undefined,
		);
		if (missing !== undefined) {
			throw new Failure(
				`${id} needs ${missing.name}: '{"${missing.name}":"..."}'`,
				2,
				`see \`${name} call ${id} --help\``,
			);
		}
		const configuration = await configurationFor(context, operation);
		const most = fields.find((field) => field.name === "wait")?.most ?? 0;
		// The service refuses a value that is out of bounds at once.
		const requested = Number(values.wait) || 0;
		const body = await callForBytes(configuration, operation, values, {
			waitSeconds: Math.min(Math.max(requested, 0), most),
		});
		const object = parseObject(body);
		if (object?.ok === true) return show(object);
		if (!isTerminal()) return print(body);
		if (body.includes(0)) throw new Failure(`${id} is not text`, 1);
		print(cleanLines(body.toString()));
	},
};

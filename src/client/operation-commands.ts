/** Commands that call one operation and print the response. */

import { cleanLines } from "../core/lib/readable-text.ts";
import { parseObject } from "../core/lib/record.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { configurationFor } from "./account-commands.ts";
import { catalogue, operationAt, operationOf } from "./catalogue.ts";
import type { Command } from "./client-command.ts";
import { Failure } from "./client-failure.ts";
import { flagsOf, isWord, requireFields, valuesOf } from "./field-flags.ts";
import { helpOfOperation } from "./help.ts";
import { call, callForBytes, type Values } from "./operation-call.ts";
import { isTerminal, print } from "./terminal.ts";

/** Determines which operation a command with two operations calls. */
interface Choice {
	readonly summary: string;
	/** Whether to call the second operation, by the first positional argument and the values of the flags. */
	readonly isSecond: (word: string, values: Values) => boolean;
}

/**
 * Creates the command for an operation. The id in the path becomes an argument, and
 * all other fields become flags.
 * @param standsFor the route of a second operation, which the command calls if `choice` selects it
 */
export function commandFor(route: string, example = "", standsFor = route, choice?: Choice): Command {
	const [first, second] = [operationAt(route), operationAt(standsFor)];
	const fields = choice ? [...first.fields, ...second.fields] : first.fields;
	return {
		summary: choice?.summary ?? first.summary,
		about: choice ? `${second.summary}: ${second.description}` : first.description,
		words: first.fields.some(isWord) ? "ID" : "",
		flags: flagsOf(fields),
		example,
		routes: [route, standsFor],
		async run(context) {
			const { line, show } = context;
			const [id = ""] = line.words;
			const isSecond = choice?.isSecond(id, valuesOf(line, fields)) ?? false;
			const operation = isSecond ? second : first;
			const values = valuesOf(line, operation.fields);
			requireFields(values, operation.fields);
			const word = operation.fields.find(isWord);
			if (word !== undefined) values[word.name] = id;
			const configuration = await configurationFor(context, operation);
			show(await call(configuration, operation, values));
		},
	};
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
			throw new UsageError(`${id} takes a key, which must not appear on a command line`);
		}
		const values = parseObject(text);
		if (values === null) {
			throw new UsageError("the second argument must be a JSON object");
		}
		// The phase `discover` only suggests an identity and returns no key.
		if (returnsKey && values.phase !== "discover") {
			throw new UsageError(`${id} returns a key: use register, or key rotate`);
		}
		const missing = fields.find((field) => field.place === "path" && values[field.name] === undefined);
		if (missing !== undefined) {
			throw new Failure(
				`${id} needs ${missing.name}: '{"${missing.name}":"..."}'`,
				2,
				`see \`${name} call ${id} --help\``,
			);
		}
		const configuration = await configurationFor(context, operation);
		const body = await callForBytes(configuration, operation, values);
		const object = parseObject(body);
		if (object?.ok === true) return show(object);
		if (!isTerminal()) return print(body);
		if (body.includes(0)) throw new Failure(`${id} does not return text`, 1);
		print(cleanLines(body.toString()));
	},
};

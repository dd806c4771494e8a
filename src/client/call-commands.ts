/** Converts the HTTP calls that a resort suggests into commands of the client. */
import { isRecord, textIn } from "../core/lib/record.ts";
import { operationFor } from "./catalogue.ts";
import type { Context } from "./client-command.ts";
import { flagsOf, isWord, kebab } from "./field-flags.ts";

type Program = Pick<Context, "start" | "commands">;

/** Matches a value that needs no quotation marks in a shell. */
const PLAIN = /^[\w-]+$/;

/** Returns one line of commands for the calls that a response suggests; empty if it suggests none. */
export function describeNext(program: Program, next: unknown): string {
	const calls: unknown[] = Array.isArray(next) ? next : [];
	const lines = calls.flatMap((call) => commandLine(program, call) ?? []);
	return lines.length === 0 ? "" : `next: ${lines.join("; ")}\n`;
}

/**
 * Returns the command line for a call; undefined for an unknown operation, or if a value in `path` needs
 * quotation marks in a shell.
 * @param call an object with `method`, `path` including its query, and the known fields of the body in `body`
 */
export function commandLine({ start, commands }: Program, call: unknown): string | undefined {
	const method = textIn(call, "method");
	const [path = "", query = ""] = textIn(call, "path").split("?");
	const found = operationFor(method, path);
	const parameters = [...new URLSearchParams(query)];
	const values = [...Object.values(found?.params ?? {}), ...parameters.flat()];
	if (found === undefined || !values.every((value) => PLAIN.test(value))) return undefined;
	const { operation, params } = found;
	const { fields } = operation;
	const route = `${method} ${operation.path}`;
	const called = Object.entries(commands).find(([, { routes }]) => routes?.includes(route));
	if (called === undefined) {
		const json = Object.keys(params).length > 0 ? ` '${JSON.stringify(params)}'` : "";
		return `${start} call ${operation.id}${json}`;
	}
	const [command, { words }] = called;
	const body = isRecord(call) && isRecord(call.body) ? call.body : {};
	const shown = fields.filter((field) => field.place === "body" && (field.isRequired || field.name in body));
	const flags = shown.flatMap((field) => {
		const value = textIn(body, field.name);
		return Object.entries(flagsOf([field])).map(
			([flag, { value: placeholder }]) => `--${flag} ${PLAIN.test(value) ? value : placeholder}`,
		);
	});
	return [
		start,
		command,
		// Includes a fixed argument, such as `rotate` in `key rotate`.
		...(/^[a-z]+$/.test(words) ? [words] : []),
		...fields.filter(isWord).map((field) => params[field.name] ?? "ID"),
		...flags,
		...parameters.map(([field, value]) => `--${kebab(field)} ${value}`),
	].join(" ");
}

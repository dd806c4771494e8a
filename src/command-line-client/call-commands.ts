/**
 * Translates HTTP calls to commands of the client, because hints and next steps from a resort contain HTTP
 * calls.
 */
import { CALLS } from "../lib/call-pattern.ts";
import { isRecord, mapValues, textIn } from "../lib/record.ts";
import { operationFor } from "./catalogue.ts";
import type { Context } from "./client-command.ts";
import { flagsOf, isWord, kebab } from "./field-flags.ts";

type Program = Pick<Context, "name" | "commands">;

/** Returns a command line for each call in a text: `POST /api/checkin` becomes `resort guest checkin`. */
export function commandsFor(program: Program, text: string): string[] {
	const lines = [...text.matchAll(CALLS)].flatMap(
		([, method = "", target = ""]) => commandLine(program, method, target) ?? [],
	);
	return [...new Set(lines)];
}

/**
 * Returns the suggested next calls of an answer as one line of commands; an empty string if there are none.
 */
export function describeNext(program: Program, next: unknown): string {
	const steps = (Array.isArray(next) ? next : []).flatMap((step: unknown) => {
		const [method, path] = [textIn(step, "method"), textIn(step, "path")];
		const { body } = isRecord(step) ? step : {};
		const call = `${method} ${path}`;
		// Only text that is exactly one call is translated, because the resort's text could contain anything.
		if (call.match(CALLS)?.[0] !== call) return [];
		const known = isRecord(body) ? body : {};
		return commandLine(program, method, path, known) ?? [];
	});
	return steps.length === 0 ? "" : `next: ${steps.join("; ")}\n`;
}

/** Matches a value that needs no quotation marks in a shell. */
const PLAIN = /^[\w-]+$/;

/**
 * Returns the command line of a call; undefined if there is no such operation. A placeholder such as `{id}`
 * in the path becomes `ID`.
 * @param known the known fields of the request body
 */
export function commandLine(
	{ name, commands }: Program,
	method: string,
	target: string,
	known: Readonly<Record<string, unknown>> = {},
): string | undefined {
	const [path = "", query = ""] = target.split("?");
	const found = operationFor(method, path);
	if (found === undefined) return undefined;
	const { operation } = found;
	const ids = mapValues(found.params, (id) => (id.startsWith("{") ? "ID" : id));
	const route = `${method} ${operation.path}`;
	const called = Object.entries(commands).find(([, { routes }]) => routes?.includes(route));
	if (called === undefined) {
		const json = Object.keys(ids).length > 0 ? ` '${JSON.stringify(ids)}'` : "";
		return `${name} call ${operation.id}${json}`;
	}
	const [command, { words }] = called;
	const { fields } = operation;
	const shown = fields.filter(
		({ name, isRequired, place }) => place === "body" && (isRequired || name in known),
	);
	const shownValue = (field: string, placeholder: string) => {
		const value = textIn(known, field);
		return PLAIN.test(value) ? value : placeholder;
	};
	return [
		name,
		command,
		// A fixed argument, such as `rotate` in `key rotate`.
		...(/^[a-z]+$/.test(words) ? [words] : []),
		...fields.filter(isWord).map(({ name }) => ids[name] ?? "ID"),
		...shown.flatMap((field) =>
			Object.entries(flagsOf([field])).map(
				([flag, { value }]) => `--${flag} ${shownValue(field.name, value ?? "")}`,
			),
		),
		...[...new URLSearchParams(query)].map(([field, value]) => `--${kebab(field)} ${value}`),
	].join(" ");
}

/** Translates HTTP calls to commands of the client, because the hints and next steps of a resort name calls. */
import { CALLS } from "../lib/call-pattern.ts";
import { isRecord, mapValues } from "../lib/record.ts";
import { operationFor } from "./catalogue.ts";
import type { Context } from "./client-command.ts";
import { flagsOf, isWord, kebab } from "./field-flags.ts";

type Program = Pick<Context, "name" | "commands">;

/** Returns a command line for each call in a text: `POST /api/checkin` is `resort guest checkin`. */
export function commandsFor(program: Program, text: string): string[] {
	const lines = [...text.matchAll(CALLS)].flatMap(
		([, method = "", target = ""]) =>
			commandLine(program, method, target) ?? [],
	);
	return [...new Set(lines)];
}

/** Returns the next steps of an answer as one line; empty if there are none. */
export function describeNext(program: Program, next: unknown): string {
	const steps = (Array.isArray(next) ? next : []).flatMap((step: unknown) => {
		const { method, path } = isRecord(step) ? step : {};
		const call = `${method} ${path}`;
		// Only an exact call is translated: any other text could contain anything.
		const isCall = call.match(CALLS)?.[0] === call;
		return isCall ? commandsFor(program, call) : [];
	});
	return steps.length === 0 ? "" : `next: ${steps.join("; ")}\n`;
}

/** Returns the command line of a call; undefined if there is no such operation. `{id}` in its target is a placeholder. */
export function commandLine(
	{ name, commands }: Program,
	method: string,
	target: string,
): string | undefined {
	const [path = "", query = ""] = target.split("?");
	const found = operationFor(method, path);
	if (found === undefined) return undefined;
	const { operation } = found;
	const ids = mapValues(found.params, (id) => (id.startsWith("{") ? "ID" : id));
	const route = `${method} ${operation.path}`;
	const called = Object.entries(commands).find(([, { routes }]) =>
		routes?.includes(route),
	);
	if (called === undefined) {
		const json = Object.keys(ids).length > 0 ? ` '${JSON.stringify(ids)}'` : "";
		return `${name} call ${operation.id}${json}`;
	}
	const [command, { words }] = called;
	const { fields } = operation;
	const required = fields.filter(
		({ isRequired, place }) => isRequired && place === "body",
	);
	return [
		name,
		command,
		// A literal word, such as the second one of `key rotate`.
		...(/^[a-z]+$/.test(words) ? [words] : []),
		...fields.filter(isWord).map(({ name }) => ids[name] ?? "ID"),
		...Object.entries(flagsOf(required)).map(
			([flag, { value }]) => `--${flag} ${value}`,
		),
		...[...new URLSearchParams(query)].map(
			([field, value]) => `--${kebab(field)} ${value}`,
		),
	].join(" ");
}

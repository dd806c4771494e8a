/** The commands that stand for HTTP calls: a resort's hints and next steps are calls. */
import { CALLS } from "../lib/call-pattern.ts";
import { isRecord } from "../lib/record.ts";
import { type ClientOperation, operationFor } from "./catalogue.ts";
import type { Commands } from "./client-command.ts";
import { flagsOf, kebab } from "./field-flags.ts";

interface Program {
	readonly name: string;
	readonly commands: Commands;
}

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
		// A text that is not exactly a call may be anything.
		const isCall = call.match(CALLS)?.[0] === call;
		return isCall ? commandsFor(program, call) : [];
	});
	return steps.length === 0 ? "" : `next: ${steps.join("; ")}\n`;
}

/** Returns the command line of a call; undefined if there is no such operation. `{ID}` in its target is a placeholder. */
export function commandLine(
	{ name, commands }: Program,
	method: string,
	target: string,
): string | undefined {
	const [path = "", query = ""] = target.split("?");
	const operation = operationFor(method, path);
	if (operation === undefined) return undefined;
	const ids = idsIn(operation, path);
	const route = `${method} ${operation.path}`;
	const called = Object.entries(commands).find(([, { routes }]) =>
		routes?.includes(route),
	);
	if (called === undefined) {
		const object = `'${JSON.stringify(Object.fromEntries(ids))}'`;
		const json = ids.length === 0 ? [] : [object];
		return [name, "call", operation.id, ...json].join(" ");
	}
	const [command, { words }] = called;
	const required = operation.fields.filter(
		({ isRequired, place }) => isRequired && place === "body",
	);
	return [
		name,
		command,
		// A literal word, such as the second one of `key rotate`.
		...(/^[a-z]+$/.test(words) ? [words] : []),
		...ids.map(([, id]) => id),
		...Object.entries(flagsOf(required)).map(
			([flag, { value }]) => `--${flag} ${value}`,
		),
		...[...new URLSearchParams(query)].map(
			([field, value]) => `--${kebab(field)} ${value}`,
		),
	].join(" ");
}

/** Returns the ids in a path by name; `ID` for a placeholder. */
function idsIn(operation: ClientOperation, path: string): [string, string][] {
	const parts = path.split("/");
	return operation.path.split("/").flatMap((part, at) => {
		const id = parts[at] ?? "";
		const shown = id.startsWith("{") ? "ID" : id;
		return part.startsWith(":") ? [[part.slice(1), shown]] : [];
	});
}

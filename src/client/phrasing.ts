/** The words of a resort, which speak of HTTP and fields, as those of a command line. */

import { CALLS } from "../lib/calls.ts";
import { isRecord } from "../lib/record.ts";
import { Refusal } from "./call.ts";
import { type ClientOperation, operationFor } from "./catalogue.ts";
import type { Command } from "./command.ts";
import type { Failure } from "./failure.ts";
import { type Flags, flagsOf, kebab } from "./flags.ts";

/** A program and its commands, as a person calls them. */
export interface Program {
	readonly name: string;
	readonly commands: Readonly<Record<string, Command>>;
}

/** A text in which every call is told as a command, in backquotes. */
export function inCommands(program: Program, text: string): string {
	return text.replace(CALLS, (call, method, target) => {
		const line = commandLine(program, method, target);
		return line === undefined ? call : `\`${line}\``;
	});
}

/**
 * The command line that makes a call; undefined when no operation does.
 * @param target a path with its query; what stands in braces is not known yet
 */
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
	const [command, known] =
		Object.entries(commands).find(([, { routes }]) =>
			routes?.includes(route),
		) ?? [];
	if (command === undefined || known === undefined) {
		const object = `'${JSON.stringify(Object.fromEntries(ids))}'`;
		const given = ids.length === 0 ? [] : [object];
		return [name, "call", operation.id, ...given].join(" ");
	}
	return [
		name,
		command,
		// Such as the second word of `key rotate`.
		...(/^[a-z]+$/.test(known.words) ? [known.words] : []),
		...ids.map(([, id]) => id),
		...requiredFlags(operation),
		...[...new URLSearchParams(query)].map(
			([field, value]) => `--${kebab(field)} ${value}`,
		),
	].join(" ");
}

/** The ids in a path by their names; `ID` for what stands in braces. */
function idsIn(operation: ClientOperation, path: string): [string, string][] {
	const given = path.split("/");
	return operation.path.split("/").flatMap((part, at) => {
		const id = given[at] ?? "";
		const told = id.startsWith("{") ? "ID" : id;
		return part.startsWith(":") ? [[part.slice(1), told]] : [];
	});
}

function requiredFlags({ fields }: ClientOperation): string[] {
	const required = fields.filter(
		({ isRequired, place }) => isRequired && place === "body",
	);
	return Object.entries(flagsOf(required)).map(
		([flag, { value = "" }]) => `--${flag} ${value}`,
	);
}

/** The fields of a command as its flags: those in backquotes, and those that no other word can be. */
export function inFlags(flags: Flags, text: string): string {
	return text.replace(
		/`(\w+)(?:=(\w+))?`|\b[a-z]+[A-Z]\w*\b/g,
		(word, quoted, value) => {
			const flag = kebab(quoted ?? word);
			if (flags[flag]?.field === undefined) return word;
			return value === undefined ? `--${flag}` : `\`--${flag} ${value}\``;
		},
	);
}

/**
 * A failure as it is told to somebody who called a command.
 * @param called the command, as it was named
 */
export function tellFailure(
	program: Program,
	called: string,
	error: Failure,
): Pick<Failure, "message" | "hint"> {
	const { name, commands } = program;
	const command = Object.hasOwn(commands, called)
		? commands[called]
		: undefined;
	const { message, hint, exitCode } = error;
	if (exitCode === 2 && hint === "") {
		const line = [name, command && called, "--help"].filter(Boolean).join(" ");
		return { message, hint: `see \`${line}\`` };
	}
	if (!(error instanceof Refusal)) return { message, hint };
	const { field, status } = error;
	const phrased = inCommands(program, message);
	const flags = command?.flags ?? {};
	const isFlag = flags[kebab(field)]?.field !== undefined;
	const again = status === 401 ? ` \`${name} login\` keeps another key.` : "";
	return {
		message:
			isFlag && phrased.startsWith(`${field} `)
				? `--${kebab(field)}${phrased.slice(field.length)}`
				: phrased,
		hint: inFlags(flags, inCommands(program, hint)) + again,
	};
}

/** What makes sense next, as a line for people; empty when nothing is told. */
export function describeNext(program: Program, next: unknown): string {
	const lines = (Array.isArray(next) ? next : []).flatMap((one: unknown) => {
		const { method, path } = isRecord(one) ? one : {};
		const [match] = `${method} ${path}`.matchAll(CALLS);
		// What is not wholly a call may be anything.
		if (match?.[0] !== `${method} ${path}`) return [];
		const [, verb = "", target = ""] = match;
		return commandLine(program, verb, target) ?? [];
	});
	return lines.length === 0 ? "" : `next: ${lines.join("; ")}\n`;
}

import { clean, describe, toJson } from "../client/text.ts";
import { settings } from "../config/settings.ts";
import type { Flags } from "../config/sources.ts";
import { withNearest } from "../lib/edit-distance.ts";
import { commandAt } from "../lib/flag-tokens.ts";
import { StartError } from "../lib/start-error.ts";
import {
	type AdminCommand,
	type Asking,
	adminCommands,
	lookAt,
} from "./admin-commands.ts";
import {
	type Administration,
	type Reply,
	reachAdministration,
} from "./admin-reach.ts";
import { type Fields, said, wrapped } from "./admin-text.ts";
import { type FlagHelp, parseCommand } from "./flags.ts";
import { print, requireStdout } from "./print.ts";

/** The flags that all commands have. */
export const adminFlags: Readonly<Record<string, FlagHelp>> = {
	database: { ...settings.database, help: "database of the instance" },
	port: {
		...settings.port,
		help: "port of an instance that keeps its database in memory",
	},
	"admin-socket": settings["admin-socket"],
	config: settings.config,
	json: { help: "one JSON document, on stdout; a failure on stderr" },
};

/**
 * Like {@link perform}; with `--json` what it throws is told as one document, too.
 * @throws StartError as {@link perform}
 */
export async function admin(args: readonly string[]): Promise<void> {
	try {
		await perform(args);
	} catch (error) {
		if (!(error instanceof StartError) || !args.includes("--json")) throw error;
		process.stderr.write(`${toJson({ error: error.message })}\n`);
		process.exitCode = error.exitCode;
	}
}

/**
 * `resort admin COMMAND`: what the host does with the house, in the running instance or, where none runs, in the
 * database. Ends with 1 for what is refused.
 * @throws StartError with exit code 2 for a wrong command line, 1 when nothing can be reached
 */
async function perform(args: readonly string[]): Promise<void> {
	const at = commandAt(args, adminFlags);
	const name = args[at] ?? "";
	const command = commandOf(name);
	const known = { ...command.flags, ...adminFlags };
	const { words, flags } = parseCommand(
		`admin ${name}`,
		args.toSpliced(at, 1),
		known,
		command.words,
	);
	for (const [flag, value] of Object.entries(flags)) {
		if (!isSwitch(known, flag) || value === "on") continue;
		throw new StartError(`--${flag} takes no value`, 2);
	}
	const { json, ...settingFlags } = flags;
	const asking = command.ask(words, flags);
	if (typeof asking === "string") {
		throw new StartError(`${asking}; see resort admin --help`, 2);
	}
	// A key or a code is told once, and what was exported may be all that is left.
	requireStdout();
	const own = Object.fromEntries(
		Object.entries(settingFlags).filter(([flag]) => flag in adminFlags),
	);
	const isJson = json !== undefined;
	let former: Fields | null = null;
	if (command.isFinal) {
		const [id = ""] = words;
		const { isDone, answer } = await asked(own, lookAt(id));
		if (!isDone) return refuse(answer, isJson);
		const agent: Fields = Object(answer.agent);
		// It holds no database meanwhile: an instance that starts while it waits is asked then.
		await requireAgain(agent, !isJson || process.stdin.isTTY);
		former = agent;
	}
	const { isDone, answer, isServed } = await asked(own, asking);
	if (!isDone) return refuse(answer, isJson);
	if (isJson) return print(`${toJson(answer)}\n`);
	const told = { ...answer, ...(former && { formerName: former.name }) };
	print(command.tell?.(told, flags) ?? wrapped(describe(answer)));
	const warning = command.warn?.(answer, isServed) ?? "";
	const remark = command.remark === undefined ? "" : `${command.remark}\n`;
	process.stderr.write(warning + remark);
}

/**
 * Reaches the administration, asks it once and lets go of it.
 * @throws StartError when there is no answer
 */
async function asked(
	flags: Flags,
	asking: Asking,
): Promise<Reply & Pick<Administration, "isServed">> {
	const administration = await reachAdministration(flags);
	const { isServed } = administration;
	try {
		return { ...(await administration.ask(asking)), isServed };
	} finally {
		await administration.close();
	}
}

function isSwitch(
	known: Readonly<Record<string, FlagHelp>>,
	flag: string,
): boolean {
	return known[flag]?.value === undefined;
}

/** @throws StartError with exit code 2 when there is no such command */
function commandOf(name: string): AdminCommand {
	const command = Object.hasOwn(adminCommands, name)
		? adminCommands[name]
		: undefined;
	if (command !== undefined) return command;
	const told = withNearest(
		name,
		Object.keys(adminCommands),
		JSON.stringify(name),
	);
	const what =
		name === ""
			? "admin needs a command before its flags"
			: `unknown command of admin ${told}`;
	throw new StartError(`${what}; see resort admin --help`, 2);
}

/**
 * Asks for the id of an agent again, on a terminal or by a pipe.
 * @param isAsked whether it is said what is waited for
 * @throws StartError when it is another one
 */
async function requireAgain(
	{ id, name, isErased }: Fields,
	isAsked: boolean,
): Promise<void> {
	if (isAsked) {
		const what =
			isErased === true
				? said`${id} was erased already. Erasing it again does no harm.`
				: said`This erases ${name} (${id}), and cannot be undone.`;
		// What is typed on a terminal ends the line; what comes by a pipe does not.
		const end = process.stdin.isTTY ? " " : "\n";
		process.stderr.write(`${what}Type the id again, to go on:${end}`);
	}
	let typed = "";
	for await (const line of console) {
		typed = line;
		break;
	}
	if (typed.trim().toLowerCase() !== id) {
		throw new StartError("that is another id: nothing was changed", 1);
	}
}

/** Tells why something was refused, and ends with 1. */
function refuse({ error, hint }: Fields, isJson: boolean): void {
	const text = isJson
		? toJson({ error, ...(hint !== undefined && { hint }) })
		: clean(`resort: ${[error, hint].filter(Boolean).join(". ")}`);
	process.stderr.write(`${text}\n`);
	process.exitCode = 1;
}

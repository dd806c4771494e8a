import { clean, describe, toJson } from "../client/text.ts";
import { settings } from "../config/settings.ts";
import { withNearest } from "../lib/edit-distance.ts";
import { StartError } from "../lib/start-error.ts";
import { type AdminCommand, adminCommands } from "./admin-commands.ts";
import { reachAdministration } from "./admin-reach.ts";
import { parseCommand } from "./flags.ts";
import { print } from "./print.ts";

/** The flags that all commands have. */
export const adminFlags = {
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
	const [name = "", ...rest] = args;
	const command = commandOf(name);
	const known = { ...command.flags, ...adminFlags };
	const { words, flags } = parseCommand(
		`admin ${name}`,
		rest,
		known,
		command.words,
	);
	const { json, ...settingFlags } = flags;
	const asking = command.ask(words, flags);
	if (typeof asking === "string") {
		throw new StartError(`${asking}; see resort admin --help`, 2);
	}
	const own = Object.fromEntries(
		Object.entries(settingFlags).filter(([flag]) => flag in adminFlags),
	);
	const administration = await reachAdministration(own);
	try {
		if (command.isFinal) {
			const isAsked = json === undefined || process.stdin.isTTY;
			await requireAgain(words[0] ?? "", isAsked);
		}
		const response = await administration.ask(asking);
		tell(
			command,
			Object(await response.json()),
			response.ok,
			json !== undefined,
		);
		if (!response.ok) process.exitCode = 1;
	} finally {
		await administration.close();
	}
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
		name === "" || name.startsWith("-")
			? "admin needs a command before its flags"
			: `unknown command of admin ${told}`;
	throw new StartError(`${what}; see resort admin --help`, 2);
}

/**
 * Asks for an id again, on a terminal or by a pipe.
 * @param isAsked whether it is said what is waited for
 * @throws StartError when it is another one
 */
async function requireAgain(id: string, isAsked: boolean): Promise<void> {
	if (isAsked) {
		process.stderr.write("This cannot be undone. The id again, to go on: ");
	}
	let typed = "";
	for await (const line of console) {
		typed = line;
		break;
	}
	if (typed.trim().toLowerCase() !== id.toLowerCase()) {
		throw new StartError("that is another id: nothing was changed", 1);
	}
}

/** Tells an answer; a failure on stderr. */
function tell(
	{ done }: AdminCommand,
	answer: Record<string, unknown>,
	isDone: boolean,
	isJson: boolean,
): void {
	if (!isDone) {
		const { error, hint } = answer;
		const text = isJson
			? toJson({ error, ...(hint !== undefined && { hint }) })
			: clean(`resort: ${[error, hint].filter(Boolean).join(". ")}`);
		process.stderr.write(`${text}\n`);
		return;
	}
	if (isJson || "export" in answer) {
		print(
			`${isJson ? toJson(answer) : JSON.stringify(answer.export, null, 2)}\n`,
		);
		return;
	}
	if (Array.isArray(answer.agents)) {
		for (const agent of answer.agents) print(lineOf(agent));
		if (answer.isCut === true) print("and more: --search narrows the list\n");
		return;
	}
	print(describe(answer));
	if (done !== undefined) process.stderr.write(`${done}\n`);
}

/** An agent of a list in one line. */
function lineOf(agent: Record<string, unknown>): string {
	const { id, status, lastActive, name } = agent;
	const seen = typeof lastActive === "string" ? lastActive : "never";
	return `${id}  ${String(status).padEnd(11)}  ${seen.padEnd(24)}  ${clean(String(name))}\n`;
}

import type { Program } from "../../../core/commands/feature.ts";
import { print, requireStdout } from "../../../core/commands/print.ts";
import type { CommandGroup } from "../../../core/commands/resort-command.ts";
import type { CoreSettings } from "../../../core/config/settings.ts";
import { columns, helpOf } from "../../../core/lib/command-help.ts";
import {
	commandIndex,
	commandNamed,
	isHelp,
	type KnownFlags,
	parseCommandLine,
} from "../../../core/lib/command-line.ts";
import { clean, describe, toJson } from "../../../core/lib/readable-text.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import { StartError, UsageError } from "../../../core/lib/start-error.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import { nameInPasswd } from "../../../core/store/system-user.ts";
import { showAgent } from "../agent-reports.ts";
import { adminCommands, runAdminCommand } from "./admin-commands.ts";
import { line } from "./admin-format.ts";

const SUMMARY = "Administer agents, texts, keys and invitations";

/** Creates `resort admin`. */
export function createAdmin(program: Program<CoreSettings>): CommandGroup {
	const { database, config } = program.configuration.settings;
	/** The flags that every command accepts. */
	const sharedFlags: KnownFlags = {
		database: { ...database, help: "database of the instance" },
		config,
		json: { help: "print one JSON document on stdout; errors go to stderr" },
	};
	return {
		summary: SUMMARY,
		help: () => help(sharedFlags),
		async run(args) {
			if (args.some(isHelp)) return print(help(sharedFlags));
			try {
				await runCommand(program, sharedFlags, args);
			} catch (error) {
				const failure = toStartError(error);
				if (!(failure instanceof StartError && args.includes("--json"))) {
					throw failure;
				}
				const { message, exitCode, hint } = failure;
				const body = { error: message, ...(hint !== "" && { hint }) };
				process.stderr.write(`${toJson(body)}\n`);
				process.exitCode = exitCode;
			}
		},
	};
}

function toStartError(error: unknown): unknown {
	if (!(error instanceof ResortError)) return error;
	return new StartError(clean(error.message), 1, String(error.details.hint ?? ""));
}

function help(sharedFlags: KnownFlags): string {
	const commands = Object.entries(adminCommands);
	const rows = commands.map(([name, { words, summary }]) => [`${name} ${words}`, summary] as const);
	const own = commands.map(([, { flags }]) => flags);
	const shape = {
		summary: SUMMARY,
		words: "COMMAND",
		flags: Object.assign({}, sharedFlags, ...own),
		about: `Shows and changes data in the database, even while instances serve it. They see changes at their next request.
Run it as the user that runs the instances. Exit codes: 0 done, 1 refused or not found, 2 usage error.`,
	};
	return helpOf("resort admin", shape, [`Commands:\n${columns(rows)}`]);
}

/**
 * @throws ResortError; StartError with exit code 2 for an invalid command line, 1 if the database cannot be
 * opened
 */
async function runCommand(
	program: Program<CoreSettings>,
	sharedFlags: KnownFlags,
	args: readonly string[],
): Promise<void> {
	const at = commandIndex(args, sharedFlags);
	const name = args[at];
	if (name === undefined) {
		throw new UsageError("admin needs a command before its flags");
	}
	const command = commandNamed(adminCommands, name);
	const given = parseCommandLine(args.toSpliced(at, 1), `admin ${name}`, {
		...command,
		flags: { ...command.flags, ...sharedFlags },
	});
	const isJson = given.flags.json !== undefined;
	// Checked before any change, because a new key is shown only once.
	requireStdout();
	await using stack = new AsyncDisposableStack();
	const { context: services, registration, log } = await program.openServices(given.flags, stack);
	const context = { ...services, registration, systemUser: readSystemUser() };
	const formerName = command.isFinal ? await confirmId(context, given.words[0] ?? "", !isJson) : "";
	const result = await runAdminCommand(context, name, given, log.logger);
	if (isJson) return print(`${toJson(result)}\n`);
	print(command.format?.(result, given, formerName) ?? describe({ ...result }));
	const remark = command.remark?.(result);
	if (remark !== undefined) process.stderr.write(`${remark}\n`);
}

/** Returns the name of the user who runs this program; with sudo(8), for example `alice as root`. */
function readSystemUser(): string {
	const user = nameInPasswd() ?? `${process.geteuid?.() ?? "unknown"}`;
	const { SUDO_USER } = process.env;
	return SUDO_USER === undefined ? user : `${SUDO_USER} as ${user}`;
}

/**
 * Prompts for the id of an agent, and reads it from stdin.
 * @param showsPrompt whether to print the prompt even if stdin is not a terminal
 * @returns the name of the agent
 * @throws StartError if a different id is entered; ResortError `not_found`
 */
async function confirmId(context: ServiceContext, target: string, showsPrompt: boolean): Promise<string> {
	const { agent } = await showAgent(context, target);
	const { id, name, isErased } = agent;
	const { isTTY } = process.stdin;
	if (showsPrompt || isTTY) {
		const what = isErased
			? line`${id} is already erased. Erasing it again is harmless.`
			: line`This erases ${name} (${id}). It cannot be undone.`;
		// On a terminal, the user's line break ends the line of the prompt.
		const end = isTTY ? " " : "\n";
		process.stderr.write(`${what}Type the id again to continue:${end}`);
	}
	let typed = "";
	for await (const input of console) {
		typed = input;
		break;
	}
	if (typed.trim().toLowerCase() === id) return name;
	throw new StartError("the ids differ: nothing was changed");
}

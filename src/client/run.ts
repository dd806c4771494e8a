import { commandIndex, commandNamed, isHelp, parseCommandLine } from "../core/lib/command-line.ts";
import { describe, toJson } from "../core/lib/readable-text.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { quoteForShell } from "../core/lib/text.ts";
import { VERSION } from "../core/lib/version.ts";
import { describeNext } from "./call-commands.ts";
import { type Context, commonFlags } from "./client-command.ts";
import { Failure, NotExpected, ReaderGone } from "./client-failure.ts";
import { commands } from "./commands.ts";
import { readConfiguration } from "./configuration.ts";
import { kebab } from "./field-flags.ts";
import { helpOfAll, helpOfOne } from "./help.ts";
import { isTerminal, print, report } from "./terminal.ts";

const DEFAULT_COMMAND = "overview";

/**
 * Runs a command line, prints failures to stderr, and sets the exit code.
 * @param name the name of the program in messages
 */
export async function runClient(args: readonly string[], name: string): Promise<void> {
	const command = args[commandIndex(args, commonFlags)] ?? DEFAULT_COMMAND;
	try {
		await runCommand(command, args, name);
	} catch (error) {
		if (error instanceof ReaderGone) return;
		reportFailure(name, command, failureOf(error, name, command));
	}
}

/** Converts an error to a failure. @throws the error if it is unexpected */
function failureOf(error: unknown, name: string, command: string): Failure {
	if (error instanceof Failure) return error;
	if (error instanceof UsageError) {
		const page = Object.hasOwn(commands, command) ? ` ${command}` : "";
		return new Failure(error.message, 2, `see \`${name}${page} --help\``);
	}
	// JSON that is nested thousands of levels deep can be parsed, but exhausts the stack when it is printed.
	if (error instanceof RangeError) return new Failure("the response is nested too deeply", 1);
	throw error;
}

function reportFailure(name: string, command: string, failure: Failure): void {
	const { message, hint, refusal, exitCode } = failure;
	process.exitCode = exitCode;
	report(`${name}: ${message}`);
	if (hint !== "") report(`  ${hint}`);
	if (refusal === null) return;
	const flag = kebab(refusal.field);
	const { flags = {} } = commands[command] ?? {};
	if (Object.hasOwn(flags, flag)) report(`  flag: --${flag}`);
}

async function runCommand(id: string, args: readonly string[], name: string): Promise<void> {
	const [first = ""] = args;
	if (first === "--version") return print(`${VERSION}\n`);
	const at = commandIndex(args, commonFlags);
	const page = id === "help" ? args[at + 1] : undefined;
	if (page !== undefined) {
		return print(helpOfOne(name, page, commandNamed(commands, page)));
	}
	if (id === "help" || (at === -1 && isHelp(first))) {
		return print(helpOfAll(name, commands));
	}
	const command = commandNamed(commands, id);
	const line = parseCommandLine(at === -1 ? args : args.toSpliced(at, 1), id, {
		...command,
		flags: { ...command.flags, ...commonFlags },
	});
	if (line.flags.help !== undefined) {
		return print(command.helpOn?.(line.words) || helpOfOne(name, id, command));
	}
	const { config: path } = line.flags;
	const config = path === undefined ? "" : ` --config=${quoteForShell(path)}`;
	const insecure = line.flags.insecure === undefined ? "" : " --insecure";
	const isJson = line.flags.json !== undefined || !isTerminal();
	const context: Context = {
		name,
		start: name + config + insecure,
		commands,
		line,
		isJson,
		configuration() {
			const configuration = readConfiguration(line.flags, process.env);
			for (const warning of configuration.warnings) {
				report(`warning: ${warning}`);
			}
			return configuration;
		},
		show(body) {
			print(isJson ? `${toJson(body)}\n` : describe(body) + describeNext(context, body.next));
		},
	};
	try {
		await command.run(context);
	} catch (error) {
		if (error instanceof NotExpected) context.show(error.body);
		throw error;
	}
}

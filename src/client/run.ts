import {
	commandIndex,
	commandNamed,
	isHelp,
	parseCommandLine,
} from "../lib/command-line.ts";
import { UsageError } from "../lib/start-error.ts";
import { VERSION } from "../lib/version.ts";
import { commandsFor, describeNext } from "./call-commands.ts";
import { type Context, commonFlags } from "./client-command.ts";
import {
	type ExitCode,
	Failure,
	ReaderGone,
	Refusal,
} from "./client-failure.ts";
import { setUp } from "./commands/login.ts";
import { commands } from "./commands.ts";
import { readConfiguration } from "./configuration.ts";
import { kebab } from "./field-flags.ts";
import { helpOfAll, helpOfOne } from "./help.ts";
import type { System } from "./system.ts";
import { describe, toJson } from "./terminal-text.ts";

const DEFAULT_COMMAND = "overview";

/** Runs a command line, reports failures on stderr, and returns the exit code. */
export async function runClient(
	args: readonly string[],
	system: System,
): Promise<ExitCode> {
	const name = args[commandIndex(args, commonFlags)] ?? DEFAULT_COMMAND;
	try {
		await runCommand(name, args, system);
		return 0;
	} catch (error) {
		if (error instanceof ReaderGone) return 0;
		if (error instanceof UsageError) {
			system.report(`${system.name}: ${error.message}`);
			const page = Object.hasOwn(commands, name) ? ` ${name}` : "";
			system.report(`  see \`${system.name}${page} --help\``);
			return 2;
		}
		if (!(error instanceof Failure)) throw error;
		reportFailure(system, name, error);
		return error.exitCode;
	}
}

function reportFailure(system: System, called: string, error: Failure): void {
	const { message, hint } = error;
	system.report(`${system.name}: ${message}`);
	if (hint !== "") system.report(`  ${hint}`);
	if (!(error instanceof Refusal)) return;
	const flag = kebab(error.field);
	if (commands[called]?.flags[flag]) system.report(`  flag: --${flag}`);
	const program = { name: system.name, commands };
	const lines = commandsFor(program, `${message} ${hint}`);
	if (error.status === 401) lines.push(`${system.name} login`);
	for (const line of lines) system.report(`  $ ${line}`);
}

async function runCommand(
	name: string,
	args: readonly string[],
	system: System,
): Promise<void> {
	const [first = ""] = args;
	if (first === "--version") return system.print(`${VERSION}\n`);
	const at = commandIndex(args, commonFlags);
	if (at === -1 && isHelp(first)) {
		return system.print(helpOfAll(system.name, commands));
	}
	if (name === "help") {
		const page = args[at + 1];
		return system.print(
			page === undefined
				? helpOfAll(system.name, commands)
				: helpOfOne(system.name, page, commandNamed(commands, page)),
		);
	}
	const command = commandNamed(commands, name);
	const line = parseCommandLine(
		at === -1 ? args : args.toSpliced(at, 1),
		name,
		{ ...command, flags: { ...command.flags, ...commonFlags } },
	);
	if (line.flags.help !== undefined) {
		const help = command.helpOn?.(line.words);
		return system.print(help || helpOfOne(system.name, name, command));
	}
	await command.run(contextOf(system, line));
}

function contextOf(system: System, line: Context["line"]): Context {
	const { config, url, insecure, json } = line.flags;
	const { env, home } = system;
	const sources = { config, url, insecure: insecure !== undefined, env, home };
	const isJson = json !== undefined || !system.isTerminal;
	const context: Context = {
		system,
		line,
		sources,
		commands,
		isJson,
		configuration() {
			const configuration = readConfiguration(sources);
			for (const warning of configuration.warnings) {
				system.report(`warning: ${warning}`);
			}
			return configuration;
		},
		async configurationFor({ need }) {
			const configuration = context.configuration();
			const { stored, key } = configuration;
			const isMissing = need === "must" && stored === null && key === null;
			if (!isMissing || !system.isInteractive) return configuration;
			return setUp(context, configuration);
		},
		show(body) {
			if (isJson) return system.print(`${toJson(body)}\n`);
			const next = describeNext({ name: system.name, commands }, body.next);
			system.print(describe(body) + next);
		},
	};
	return context;
}

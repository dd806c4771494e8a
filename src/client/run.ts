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
import { commands } from "./commands.ts";
import { readConfiguration } from "./configuration.ts";
import { kebab } from "./field-flags.ts";
import { helpOfAll, helpOfOne } from "./help.ts";
import type { World } from "./system.ts";
import { describe, toJson } from "./terminal-text.ts";

/** The command that a command line without a command runs. */
const DEFAULT_COMMAND = "overview";

/**
 * Runs a command line. Reports failures on stderr.
 * @returns the exit code
 */
export async function runClient(
	args: readonly string[],
	world: World,
): Promise<ExitCode> {
	const name = args[commandIndex(args, commonFlags)] ?? DEFAULT_COMMAND;
	try {
		await runCommand(name, args, world);
		return 0;
	} catch (error) {
		if (error instanceof ReaderGone) return 0;
		if (error instanceof UsageError) {
			world.tell(`${world.name}: ${error.message}`);
			const page = Object.hasOwn(commands, name) ? ` ${name}` : "";
			world.tell(`  see \`${world.name}${page} --help\``);
			return 2;
		}
		if (!(error instanceof Failure)) throw error;
		reportFailure(world, name, error);
		return error.exitCode;
	}
}

/** Shows a failure and its hint. The calls in what a resort answers are followed by the commands that make them. */
function reportFailure(world: World, called: string, error: Failure): void {
	const { message, hint } = error;
	world.tell(`${world.name}: ${message}`);
	if (hint !== "") world.tell(`  ${hint}`);
	if (!(error instanceof Refusal)) return;
	const flag = kebab(error.field);
	if (commands[called]?.flags[flag]) world.tell(`  flag: --${flag}`);
	const program = { name: world.name, commands };
	const lines = commandsFor(program, `${message} ${hint}`);
	if (error.status === 401) lines.push(`${world.name} login`);
	for (const line of lines) world.tell(`  $ ${line}`);
}

/** @throws Failure or UsageError */
async function runCommand(
	name: string,
	args: readonly string[],
	world: World,
): Promise<void> {
	const [first = ""] = args;
	if (first === "--version") return world.print(`${VERSION}\n`);
	const at = commandIndex(args, commonFlags);
	if (at === -1 && isHelp(first)) {
		return world.print(helpOfAll(world.name, commands));
	}
	if (name === "help") {
		const page = args[at + 1];
		return world.print(
			page === undefined
				? helpOfAll(world.name, commands)
				: helpOfOne(world.name, page, commandNamed(commands, page)),
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
		return world.print(help || helpOfOne(world.name, name, command));
	}
	await command.run(contextOf(world, line));
}

function contextOf(world: World, line: Context["line"]): Context {
	const { config, url, insecure, json } = line.flags;
	const { env, home } = world;
	const sources = { config, url, insecure: insecure !== undefined, env, home };
	const isJson = json !== undefined || !world.isTerminal;
	const context: Context = {
		world,
		line,
		sources,
		commands,
		isJson,
		configuration() {
			const configuration = readConfiguration(sources);
			for (const warning of configuration.warnings) {
				world.tell(`warning: ${warning}`);
			}
			return configuration;
		},
		async configurationWithKey() {
			const configuration = context.configuration();
			const { stored, key } = configuration;
			const isMissing = stored === null && key === null;
			if (!isMissing || !world.canAsk) return configuration;
			const { setUp } = await import("./setup.ts");
			return setUp(context, configuration);
		},
		show(body) {
			if (isJson) return world.print(`${toJson(body)}\n`);
			const next = describeNext({ name: world.name, commands }, body.next);
			world.print(describe(body) + next);
		},
	};
	return context;
}

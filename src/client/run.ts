import { withNearest } from "../lib/edit-distance.ts";
import { commandAt } from "../lib/flag-tokens.ts";
import { VERSION } from "../lib/version.ts";
import type { Command, Context } from "./command.ts";
import { commands } from "./commands.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { type ExitCode, Failure, ReaderGone, usage } from "./failure.ts";
import { commonFlags, lastOf, readLine } from "./flags.ts";
import { helpOfAll, helpOfOne } from "./help.ts";
import { describeNext, tellFailure } from "./phrasing.ts";
import { describe, toJson } from "./text.ts";
import type { World } from "./world.ts";

/** What is done without a command. */
const USUAL = "overview";

/**
 * Runs a command line to its end. Every failure is told on stderr.
 * @returns the exit code
 */
export async function runClient(
	args: readonly string[],
	world: World,
): Promise<ExitCode> {
	try {
		await runLine(args, world);
		return 0;
	} catch (error) {
		if (error instanceof ReaderGone) return 0;
		if (!(error instanceof Failure)) throw error;
		const program = { name: world.name, commands };
		const { message, hint } = tellFailure(program, nameIn(args), error);
		world.tell(`${world.name}: ${message}`);
		if (hint !== "") world.tell(`  ${hint}`);
		return error.exitCode;
	}
}

/** @throws Failure */
async function runLine(args: readonly string[], world: World): Promise<void> {
	const [first = ""] = args;
	if (first === "--version") return world.print(`${VERSION}\n`);
	const at = commandAt(args, commonFlags);
	if (at === -1 && (first === "--help" || first === "-h")) {
		return world.print(helpOn(world));
	}
	const name = nameIn(args);
	if (name === "help") return world.print(helpOn(world, args[at + 1]));
	const command = commandOf(name);
	const known = { ...command.flags, ...commonFlags };
	const line = readLine(at === -1 ? args : args.toSpliced(at, 1), known);
	if (line.given.has("help")) {
		return world.print(command.helpOn?.(line.words) || helpOn(world, name));
	}
	const [least, most] = command.count;
	const { length } = line.words;
	if (length < least || length > most) {
		const { words } = command;
		const only = length > most ? `${words} and no more words` : words;
		throw usage(`${name} takes ${words === "" ? "no words" : only}`);
	}
	// Such as "$ID" where it is not set: watch would tell of everybody.
	if (line.words.includes("")) throw usage(`${name}: a word is empty`);
	await command.run(contextOf(world, line));
}

/** The command that a command line names, or the usual one. */
function nameIn(args: readonly string[]): string {
	return args[commandAt(args, commonFlags)] ?? USUAL;
}

function commandOf(name: string): Command {
	const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
	if (command !== undefined) return command;
	const told = withNearest(name, Object.keys(commands), JSON.stringify(name));
	throw usage(`unknown command ${told}`);
}

function helpOn(world: World, name?: string): string {
	if (name === undefined) return helpOfAll(world.name, commands);
	return helpOfOne(world.name, name, commandOf(name));
}

function contextOf(world: World, line: Context["line"]): Context {
	const sources = {
		config: lastOf(line, "config"),
		url: lastOf(line, "url"),
		insecure: line.given.has("insecure"),
		env: world.env,
		home: world.home,
	};
	const isJson = line.given.has("json") || !world.isTerminal;
	const configuration = (): Configuration => {
		const read = readConfiguration(sources);
		for (const warning of read.warnings) world.tell(`warning: ${warning}`);
		return read;
	};
	const context: Context = {
		world,
		line,
		sources,
		commands,
		isJson,
		configuration,
		async known() {
			const found = configuration();
			const isMissing = found.stored === null && found.key === null;
			if (!isMissing || !world.canAsk) return found;
			const { setUp } = await import("./setup.ts");
			return setUp(context, found);
		},
		show: (told) =>
			world.print(
				isJson
					? `${toJson(told)}\n`
					: describe(told) +
							describeNext({ name: world.name, commands }, told.next),
			),
	};
	return context;
}

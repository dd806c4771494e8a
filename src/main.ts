import "./cli/production.ts";
import { backup } from "./cli/backup.ts";
import { doctor } from "./cli/doctor.ts";
import { example } from "./cli/example.ts";
import { healthcheck } from "./cli/healthcheck.ts";
import { help } from "./cli/help.ts";
import { print } from "./cli/print.ts";
import { restore } from "./cli/restore.ts";
import { serve } from "./cli/serve.ts";
import { test } from "./cli/test.ts";
import { StartError } from "./errors.ts";
import { VERSION } from "./version.ts";

const commands = {
	serve,
	test,
	healthcheck,
	backup,
	restore,
	doctor,
	example,
} as const;

/**
 * Runs a command line: the command is its first word, `serve` when it begins with a flag.
 * @throws StartError
 */
async function main(args: readonly string[]): Promise<void> {
	const [first = "", ...rest] = args;
	if (first === "help") return print(helpOn(rest[0] ?? ""));
	if (first !== "" && !first.startsWith("-")) {
		if (!isCommand(first)) {
			throw new StartError(
				`unknown command ${JSON.stringify(first)}; see resort --help`,
				2,
			);
		}
		if (asksForHelp(rest)) return print(helpOn(first));
		return commands[first](rest);
	}
	if (asksForHelp(args)) return print(helpOn(""));
	if (args.includes("--version")) return print(`${VERSION}\n`);
	return serve(args);
}

/** Whether the flags ask for help; what follows `--` is for another program. */
function asksForHelp(args: readonly string[]): boolean {
	const end = args.indexOf("--");
	const own = end === -1 ? args : args.slice(0, end);
	return own.includes("--help") || own.includes("-h");
}

/** The help text of a command, or of the program. */
function helpOn(command: string): string {
	return `${isCommand(command) ? help[command]() : help.resort()}\n`;
}

function isCommand(word: string): word is keyof typeof commands {
	return Object.hasOwn(commands, word);
}

function isBrokenPipe(error: unknown): boolean {
	return (
		typeof error === "object" &&
		error !== null &&
		"code" in error &&
		error.code === "EPIPE"
	);
}

try {
	await main(process.argv.slice(2));
} catch (error) {
	// A reader of stdout that has seen enough, such as `head`, is no failure.
	if (isBrokenPipe(error)) process.exit(0);
	if (!(error instanceof StartError)) throw error;
	process.stderr.write(`resort: ${error.message}\n`);
	process.exit(error.exitCode);
}

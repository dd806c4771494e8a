import "./cli/production.ts";
import { print } from "./cli/print.ts";
import { refuseRemovedFlags } from "./config/sources.ts";
import { withNearest } from "./lib/edit-distance.ts";
import { codeOf } from "./lib/failure.ts";
import { StartError } from "./lib/start-error.ts";
import { VERSION } from "./lib/version.ts";

/** A command is loaded when it is called, so that it does not wait for the modules of the others. */
const commands = {
	serve: async (args) => (await import("./cli/serve.ts")).serve(args),
	test: async (args) => (await import("./cli/test.ts")).test(args),
	healthcheck: async (args) =>
		(await import("./cli/healthcheck.ts")).healthcheck(args),
	mcp: async (args) => (await import("./cli/mcp.ts")).mcp(args),
	admin: async (args) => (await import("./cli/admin.ts")).admin(args),
	backup: async (args) => (await import("./cli/backup.ts")).backup(args),
	restore: async (args) => (await import("./cli/restore.ts")).restore(args),
	copy: async (args) => (await import("./cli/copy.ts")).copy(args),
	doctor: async (args) => (await import("./cli/doctor.ts")).doctor(args),
	example: async (args) => (await import("./cli/example.ts")).example(args),
	guest: async (args) => (await import("./cli/guest.ts")).guest(args),
} as const satisfies Record<string, Command>;

type Command = (args: readonly string[]) => Promise<void>;

/**
 * Runs a command line: the command is its first word, `serve` when it begins with a flag.
 * @throws StartError
 */
async function main(args: readonly string[]): Promise<void> {
	const [first = "", ...rest] = args;
	if (first === "help") return print(await helpOn(rest[0] ?? ""));
	if (first !== "" && !first.startsWith("-")) {
		if (!isCommand(first)) {
			const told = withNearest(
				first,
				Object.keys(commands),
				JSON.stringify(first),
			);
			throw new StartError(`unknown command ${told}; see resort --help`, 2);
		}
		// The client has commands and help texts of its own.
		const isGuest = first === "guest";
		if (!isGuest) refuseRemovedFlags(rest);
		if (!isGuest && asksForHelp(rest)) return print(await helpOn(first));
		return commands[first](rest);
	}
	if (asksForHelp(args)) return print(await helpOn(""));
	if (args.includes("--version")) return print(`${VERSION}\n`);
	refuseRemovedFlags(args);
	return commands.serve(args);
}

/** Whether the flags ask for help; what follows `--` is for another program. */
function asksForHelp(args: readonly string[]): boolean {
	const end = args.indexOf("--");
	const own = end === -1 ? args : args.slice(0, end);
	return own.includes("--help") || own.includes("-h");
}

/** The help text of a command, or of the program. */
async function helpOn(command: string): Promise<string> {
	const { help } = await import("./cli/help.ts");
	return `${isCommand(command) ? help[command]() : help.resort()}\n`;
}

function isCommand(word: string): word is keyof typeof commands {
	return Object.hasOwn(commands, word);
}

try {
	await main(process.argv.slice(2));
} catch (error) {
	// A reader of stdout that has seen enough, such as `head`, is no failure.
	if (codeOf(error) === "EPIPE") process.exit(0);
	if (!(error instanceof StartError)) throw error;
	process.stderr.write(`resort: ${error.message}\n`);
	process.exit(error.exitCode);
}

import "./core/commands/production.ts";
import { commands } from "./cli/commands.ts";
import { print } from "./core/commands/print.ts";
import { commandNamed, isHelp, parseCommandLine } from "./core/lib/command-line.ts";
import { StartError, UsageError } from "./core/lib/start-error.ts";
import { BUILD } from "./core/lib/version.ts";

/** The default command. */
const DEFAULT_COMMAND = "serve";

/** The name of the running command. The message of a usage error refers to the help text of this command. */
let failingCommand = "";

async function main(args: readonly string[]): Promise<void> {
	const [first = "", ...rest] = args;
	if (first === "help") return print(await helpOn(rest[0] ?? ""));
	const isNamed = first !== "" && !first.startsWith("-");
	if (!isNamed && args.some(isHelp)) return print(await helpOn(""));
	if (!isNamed && args.includes("--version")) return print(`${BUILD}\n`);
	const name = isNamed ? first : DEFAULT_COMMAND;
	const command = await commandNamed(commands, name)();
	failingCommand = name;
	const own = isNamed ? rest : args;
	if (!("flags" in command)) return await command.run(own);
	const line = parseCommandLine(own, name, command);
	if (line.flags.help !== undefined) return print(await helpOn(name));
	return await command.run(line);
}

async function helpOn(name: string): Promise<string> {
	const { columns, helpOf } = await import("./core/lib/command-help.ts");
	if (name !== "") {
		const command = await commandNamed(commands, name)();
		if ("flags" in command) return helpOf(`resort ${name}`, command);
		return command.help();
	}
	const rows = Object.entries(commands).map(async ([one, command]) => {
		const { summary } = await command();
		return [one, summary] as const;
	});
	return `resort ${BUILD}: a resort and spa for AI agents

Usage: resort [COMMAND] [FLAGS]     (without a command: ${DEFAULT_COMMAND})

Commands:
${columns(await Promise.all(rows), 12)}

Flags:
  --help, -h   show this help, or the help of a command
  --version    show the version

resort COMMAND --help shows the flags of a command.
`;
}

try {
	await main(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof StartError)) throw error;
	const help = ["resort", failingCommand, "--help"].filter(Boolean).join(" ");
	const hint = error instanceof UsageError ? `; see ${help}` : "";
	process.stderr.write(`resort: ${error.withHint}${hint}\n`);
	process.exit(error.exitCode);
}

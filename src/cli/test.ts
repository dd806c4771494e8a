import { settings, variableOf } from "../config/settings.ts";
import { readConfig } from "../config.ts";
import { StartError } from "../errors.ts";
import { parseFlags } from "./flags.ts";
import { startInstance } from "./instance.ts";
import { openLog } from "./log.ts";
import { callersEnvironment } from "./production.ts";
import { endOnFailure, SIGNALS } from "./signals.ts";

const STDIN = 0;

/** The flags of `resort test`. */
export const testFlags = {
	seed: {
		...settings.seed,
		help: "same ids, keys, rooms and texts at each run",
	},
	fixtures: {
		...settings.fixtures,
		help: "begin with the agents, stays, experiences, votes and postcards of a JSON file",
	},
	"test-controls": {
		help: "let tests reset the resort and move its clock under /test",
	},
};

/** Where the command finds the address of the instance. */
export const URL_VARIABLE = "RESORT_URL";

/** Where the command finds the keys of the agents of the fixtures: a JSON object, id to key. */
export const KEYS_VARIABLE = "RESORT_AGENT_KEYS";

/**
 * `resort test`: runs a command beside a throwaway instance, and ends the program as the command ends.
 * @param args flags of its own, then `--`, then the command and its arguments
 * @throws StartError with exit code 2 when the command line is wrong, 127 when the command cannot be started
 */
export async function test(args: readonly string[]): Promise<void> {
	const end = args.indexOf("--");
	const command = args.slice(end + 1);
	if (end === -1 || command.length === 0) {
		throw new StartError(
			"test needs a command: resort test [FLAGS] -- COMMAND",
			2,
		);
	}
	const flags = parseFlags(args.slice(0, end), testFlags);
	// What is meant for another instance, in variables or files, must not give this one a kept file or a fixed port.
	const variables = Object.keys(testFlags).map(variableOf);
	const config = readConfig(
		{ ...flags, ephemeral: "on", "log-level": "warning" },
		Object.fromEntries(variables.map((name) => [name, process.env[name]])),
	);
	const log = openLog(config["log-level"], config["log-format"]);
	const instance = await startInstance(config, log);
	endOnFailure(log);
	const exitCode = await run(command, {
		[URL_VARIABLE]: instance.url,
		...(config.fixtures !== null && {
			[KEYS_VARIABLE]: JSON.stringify(instance.agentKeys),
		}),
	}).finally(async () => {
		await instance.stop();
		await log.close();
	});
	process.exit(exitCode);
}

/**
 * Runs a command to its end, and passes the signals on to it meanwhile.
 * @param variables of its environment, beside the caller's
 * @returns its exit code, or 128 and the number of the signal that ended it
 */
async function run(
	command: readonly string[],
	variables: Readonly<Record<string, string>>,
): Promise<number> {
	let child: Bun.Subprocess | undefined;
	const { isatty } = await import("node:tty");
	// Before the command is there: a signal must never end this program and leave the command behind.
	for (const signal of SIGNALS) {
		process.on(signal, () => {
			// A terminal sends its Ctrl-C to the command too; one that gets two gives up cleaning up.
			if (signal !== "SIGINT" || !isatty(STDIN)) child?.kill(signal);
		});
	}
	process.on("exit", () => child?.kill());
	try {
		child = Bun.spawn([...command], {
			env: { ...callersEnvironment, ...variables },
			stdio: ["inherit", "inherit", "inherit"],
		});
	} catch (error) {
		const code = error instanceof Error && "code" in error ? error.code : error;
		const hint =
			code === "E2BIG" && KEYS_VARIABLE in variables
				? `: the keys of the agents of --fixtures may be too many for ${KEYS_VARIABLE}`
				: "";
		throw new StartError(`cannot start ${command[0]} (${code})${hint}`, 127);
	}
	return await child.exited;
}

import { readConfig } from "../config/config.ts";
import { settings, variableOf } from "../config/settings.ts";
import { KEYS_VARIABLE, URL_VARIABLE } from "../config/variables.ts";
import { codeOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";
import { type Instance, startInstance } from "../server/instance.ts";
import { openLog } from "../server/log/log.ts";
import { parseFlags } from "./flags.ts";
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
		help: "let tests reset the resort, move its clock and let calls fail under /test",
	},
	now: {
		...settings.now,
		help: "begin the clock there, such as 2026-03-10T12:00:00Z",
	},
	frozen: { help: "let the clock stand until a test moves it" },
	"rate-limits": { ...settings["rate-limits"], preset: "off" },
	webhooks: settings.webhooks,
	"webhooks-allow": settings["webhooks-allow"],
	"max-stay": settings["max-stay"],
	"log-level": { ...settings["log-level"], preset: "warning" },
	"log-format": settings["log-format"],
};

/** The variables that are read. Others are meant for an instance that is kept: they must not change a test. */
const variables = ["seed", "fixtures", "test-controls"].map(variableOf);

/** How many keys the variable holds: Linux takes 128 KiB a variable (MAX_ARG_STRLEN), an agent needs 107 bytes. */
export const MAX_AGENTS = 1224;

/** The signals that are passed on to the command, so that none ends this program and leaves it behind. */
const PASSED_ON = [...SIGNALS, "SIGHUP", "SIGQUIT"] as const;

/**
 * `resort test`: runs a command beside a throwaway instance, and ends the program as the command ends.
 * @param args flags of its own, then `--`, then the command and its arguments
 * @throws StartError with exit code 2 when the command line or the fixtures are wrong, 127 when the
 * command cannot be started
 */
export async function test(args: readonly string[]): Promise<void> {
	const end = args.indexOf("--");
	const command = args.slice(end + 1);
	if (end === -1 || command.length === 0) {
		throw new StartError(
			"test needs a command after --: resort test [FLAGS] -- COMMAND",
			2,
		);
	}
	if (command[0]?.startsWith("--")) {
		throw new StartError(
			`${command[0]} stands behind --, where the command begins: resort test [FLAGS] -- COMMAND`,
			2,
		);
	}
	const flags = parseFlags("test", args.slice(0, end), testFlags);
	const config = readConfig(
		{ "log-level": "warning", ...flags, ephemeral: "on" },
		Object.fromEntries(variables.map((name) => [name, process.env[name]])),
	);
	const log = openLog(config["log-level"], config["log-format"]);
	const instance = await startInstance(config, log, {});
	endOnFailure(log);
	const exitCode = await run(command, {
		[URL_VARIABLE]: instance.url,
		// Without fixtures there are no keys, whatever the caller has from another instance.
		[KEYS_VARIABLE]:
			config.fixtures === null
				? undefined
				: keysText(config.fixtures, instance.agentKeys),
	}).finally(async () => {
		await instance.stop();
		await log.close();
	});
	process.exit(exitCode);
}

/**
 * The keys as the command finds them.
 * @param file of the fixtures
 * @throws StartError with exit code 2 when they do not fit into a variable
 */
function keysText(file: string, agentKeys: Instance["agentKeys"]): string {
	const count = Object.keys(agentKeys).length;
	if (count <= MAX_AGENTS) return JSON.stringify(agentKeys);
	throw new StartError(
		`--fixtures ${file}: has ${count} agents, and ${KEYS_VARIABLE} holds the keys of ${MAX_AGENTS} at most (128 KiB); resort serve --ephemeral takes more`,
		2,
	);
}

/**
 * Runs a command to its end, and passes the signals on to it meanwhile.
 * @param own variables of its environment, over the caller's; undefined takes one away
 * @returns its exit code, or 128 and the number of the signal that ended it
 */
async function run(
	command: readonly string[],
	own: Readonly<Record<string, string | undefined>>,
): Promise<number> {
	let child: Bun.Subprocess | undefined;
	const { isatty } = await import("node:tty");
	// Before the command is there: a signal must never end this program and leave the command behind.
	for (const signal of PASSED_ON) {
		const isTyped = signal === "SIGINT" || signal === "SIGQUIT";
		process.on(signal, () => {
			// A terminal sends Ctrl-C to the command too, and a command that gets it twice may give up cleaning up.
			if (!(isTyped && isatty(STDIN))) child?.kill(signal);
		});
	}
	process.on("exit", () => child?.kill());
	try {
		child = Bun.spawn([...command], {
			env: { ...callersEnvironment, ...own },
			stdio: ["inherit", "inherit", "inherit"],
		});
	} catch (error) {
		const reason = codeOf(error) || error;
		throw new StartError(`cannot start ${command[0]} (${reason})`, 127);
	}
	return await child.exited;
}

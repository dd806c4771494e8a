import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";
import type { Program, RunningInstance } from "../../core/commands/feature.ts";
import { callersEnvironment } from "../../core/commands/production.ts";
import type { Command } from "../../core/commands/resort-command.ts";
import { endOnFailure } from "../../core/commands/signals.ts";
import { type Setting, type Settings, variableOf } from "../../core/config/setting.ts";
import type { CoreSettings } from "../../core/config/settings.ts";
import type { Flag } from "../../core/lib/command-line.ts";
import { codeOf } from "../../core/lib/error-reason.ts";
import { StartError, UsageError } from "../../core/lib/start-error.ts";
import { openLog } from "../../core/server/log/log.ts";
import { KEYS_VARIABLE, type settings, URL_VARIABLE } from "./settings.ts";

const STDIN = 0;

const LOG_LEVEL = "warning";

/** The settings for which `resort test` has flags. Those that this program does not have are skipped. */
const names = [
	"seed",
	"fixtures",
	"test-controls",
	"now",
	"frozen",
	"rate-limits",
	"webhooks",
	"webhooks-allow",
	"max-stay",
	"log-level",
	"log-format",
];

/** The variables of `resort serve` that are read. The others are ignored: they are for a permanent resort. */
const variables = ["seed", "fixtures", "test-controls"].map(variableOf);

/** How many keys, at 107 bytes each, fit into a variable, whose limit is 128 KiB (MAX_ARG_STRLEN). */
const MAX_AGENTS = 1224;

/** The signals that are forwarded to the command. This program must not end before the command. */
const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

/** Creates `resort test`. */
export const createTest = ({
	configuration,
	startInstance,
}: Program<CoreSettings & typeof settings>): Command => ({
	summary: "Run a command with a temporary instance, for tests and CI",
	usage: ["[FLAGS] -- COMMAND [ARGUMENTS]"],
	about: `Starts a temporary instance on a free port, by default in memory and without rate limits, runs the command with the
address of the instance in ${URL_VARIABLE}, and stops the instance when the command ends.
Flags of resort test go before --, the command after it.

Exits with the exit code of the command, with 128 plus the number of the signal that ended it, or with 127 if it cannot
be started. SIGTERM, SIGINT, SIGHUP and SIGQUIT are forwarded to the command, except Ctrl-C and Ctrl-\\, which the
terminal sends to it anyway. Only warnings and errors of the instance go to stderr; --log-level info logs each call.

Of the variables of resort serve, only RESORT_SEED, RESORT_FIXTURES and RESORT_TEST_CONTROLS are read.
With --fixtures, ${KEYS_VARIABLE}_FILE is the path of a file with the agents' keys, a JSON object from id to key;
for at most ${MAX_AGENTS} agents, ${KEYS_VARIABLE} contains the same object.
resort example fixtures.json prints such a file.`,
	words: "",
	flags: {
		...flagsOf(configuration.settings),
		"log-level": { ...configuration.settings["log-level"], preset: LOG_LEVEL },
	},
	startsProgram: true,
	async run({ flags, program }) {
		const config = configuration.read(
			{ "log-level": LOG_LEVEL, ...flags, ephemeral: "on" },
			Object.fromEntries(variables.map((name) => [name, process.env[name]])),
		);
		const command = programOf(program);
		const log = openLog(config["log-level"], config["log-format"]);
		const instance = await startInstance(config, log, {});
		endOnFailure(log);
		const keys = passKeys(config.fixtures, instance.agentKeys);
		const exitCode = await runProgram(command, {
			[URL_VARIABLE]: instance.url,
			[KEYS_VARIABLE]: keys.text,
			[`${KEYS_VARIABLE}_FILE`]: keys.file,
		}).finally(async () => {
			await instance.stop();
			await log.close();
		});
		process.exit(exitCode);
	},
});

function flagsOf(settings: Settings): Readonly<Record<string, Flag>> {
	const entries = names.flatMap((name) => {
		const setting = settings[name];
		return setting === undefined ? [] : [[name, flagOf(setting)] as const];
	});
	return Object.fromEntries(entries);
}

/** Returns the flag for a setting. The default is the same as for an ephemeral instance. */
function flagOf({ ephemeralPreset, ...flag }: Setting<unknown>): Flag {
	const help = flag.help.replace(/; only with --ephemeral.*/, "");
	return { ...flag, help, ...(ephemeralPreset && { preset: ephemeralPreset }) };
}

function programOf(program: readonly string[] | null): readonly string[] {
	const [command] = program ?? [];
	if (program === null || command === undefined) {
		throw new UsageError("test needs a command after --");
	}
	if (command.startsWith("--")) {
		throw new UsageError(`${command} must be before --: resort test [FLAGS] -- COMMAND`);
	}
	return program;
}

/**
 * Writes the keys to a file that exists until this program ends. Returns the file's path and, if they fit
 * into a variable, the keys as JSON. Without fixtures, returns neither; then both variables are removed.
 */
function passKeys(
	fixtures: string | null,
	agentKeys: RunningInstance["agentKeys"],
): { readonly file?: string; readonly text?: string } {
	if (fixtures === null) return {};
	const file = join(tmpdir(), `resort-keys-${crypto.randomUUID()}.json`);
	const text = JSON.stringify(agentKeys);
	process.on("exit", () => rmSync(file, { force: true }));
	try {
		writeFileSync(file, text, { mode: 0o600, flag: "wx" });
	} catch (error) {
		throw new StartError(`cannot write ${file} (${codeOf(error)}): set TMPDIR`);
	}
	const isSmall = Object.keys(agentKeys).length <= MAX_AGENTS;
	return isSmall ? { file, text } : { file };
}

/**
 * Runs a command. Returns its exit code or, if a signal ended it, 128 plus the number of the signal.
 * @param own additional environment variables; undefined removes a variable
 */
async function runProgram(
	command: readonly string[],
	own: Readonly<Record<string, string | undefined>>,
): Promise<number> {
	let child: Bun.Subprocess | undefined;
	// Listens before the command starts, so that no signal ends this process and leaves the command running.
	for (const signal of FORWARDED) {
		const isTyped = signal === "SIGINT" || signal === "SIGQUIT";
		process.on(signal, () => {
			// The terminal sends Ctrl-C to the command too. A second signal might make the command skip its
			// cleanup.
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

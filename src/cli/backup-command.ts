import { isatty } from "node:tty";
import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { type CommandLine, readFlag } from "../lib/command-line.ts";
import { StartError, UsageError } from "../lib/start-error.ts";
import { wholeNumber } from "../lib/text.ts";
import { engineOf } from "../store/engines.ts";
import { pipeOut } from "./backup-pipe.ts";
import { addToSeries, removeOldest, requireFolder } from "./backup-series.ts";
import { printJson, requireStdout, STDOUT } from "./print.ts";
import type { Command } from "./resort-command.ts";
import { stopSignal } from "./signals.ts";

const MAX_KEPT = 10_000;

const flags = {
	database: { ...settings.database, help: "database file to copy" },
	config: settings.config,
	dir: {
		value: "DIR",
		help: "create a file with the time in its name in this folder, instead of FILE",
	},
	keep: {
		value: "N",
		help: `with --dir: keep this many files, 1 to ${MAX_KEPT}; without it all`,
		allowed: `a whole number from 1 to ${MAX_KEPT}`,
		read: (text: string) => wholeNumber(text, MAX_KEPT, 1),
	},
};

/** `resort backup` */
export const backup: Command = {
	summary: "Copy the database to a file, also while an instance serves it",
	usage: ["FILE [FLAGS]", "--dir DIR [--keep N] [FLAGS]", "- [FLAGS]"],
	about: `The copy is consistent and complete. A FILE that exists is not overwritten.
Prints one line of JSON on stdout: backup (the path) and bytes.

With --dir the file is created in the folder DIR and named by the time (UTC): resort-20261123T071500Z.sqlite.
With --keep the oldest files with such names are removed afterwards until N are left. Then the line of JSON also
contains removed (their paths).

With - the copy goes to stdout, and nothing else does. It is first written to a temporary file, in the folder that
TMPDIR names, else beside the database. That file is always removed. Exit code 1 if not everything could be written.

For a postgres:// database, use pg_dump; the error shows the command.`,
	words: "[FILE]",
	flags,
	async run(line) {
		const { dir } = line.flags;
		const [file] = line.words;
		const keep = readFlag(line, "keep", flags.keep) ?? null;
		requireOneTarget(line, file);
		const { database } = readSettings(["database"], line.flags, process.env);
		const engine = engineOf(database);
		const signal = stopSignal();
		const copyTo = (path: string) =>
			engine.backUp(database, path, process.env, signal);
		if (dir !== undefined) {
			const ending = engine.backUpEnding;
			const { path, bytes } = await addToSeries(dir, ending, copyTo);
			const { removed, failure } = removeOldest(path, ending, keep);
			printJson({ backup: path, bytes, removed });
			if (failure !== null) throw failure;
		} else if (file === "-") {
			const folder = process.env.TMPDIR || null;
			using made = await engine.backUpNameless(
				database,
				folder,
				process.env,
				signal,
			);
			await pipeOut(made.descriptor, signal);
		} else if (file !== undefined) {
			const { path, bytes } = await copyTo(file);
			printJson({ backup: path, bytes });
		}
	},
};

function requireOneTarget(
	{ flags: { dir, keep } }: CommandLine,
	file: string | undefined,
): void {
	if (dir === undefined && keep !== undefined) {
		throw new UsageError("--keep goes with --dir DIR only");
	}
	if (dir === undefined && file === undefined) {
		throw new UsageError("backup takes one FILE, -, or --dir DIR");
	}
	if (dir !== undefined && file !== undefined) {
		throw new UsageError("backup takes FILE or --dir DIR, not both");
	}
	if (dir !== undefined) requireFolder(dir);
	if (file !== "-") return;
	if (isatty(STDOUT)) {
		throw new StartError(
			"stdout is a terminal: redirect the backup into a pipe or a file, or name a FILE",
			2,
		);
	}
	requireStdout();
}

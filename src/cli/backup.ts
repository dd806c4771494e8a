import { isatty } from "node:tty";
import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import type { Flags } from "../config/sources.ts";
import { StartError } from "../lib/start-error.ts";
import { wholeNumber } from "../lib/text.ts";
import { engineOf } from "../store/engines.ts";
import { pipeOut } from "./backup-pipe.ts";
import { addToSeries, removeOldest, requireFolder } from "./backup-series.ts";
import { parseOptionalFile } from "./flags.ts";
import { print, requireStdout, STDOUT } from "./print.ts";
import { stopSignal } from "./signals.ts";

/** How many back-ups `--keep` may keep. */
const MAX_KEPT = 10_000;

/** The flags of `resort backup`. */
export const backupFlags = {
	database: { ...settings.database, help: "database file to copy" },
	config: settings.config,
	dir: {
		value: "DIR",
		help: "make a file with the time in its name there, in place of FILE",
	},
	keep: {
		value: "N",
		help: `with --dir: keep so many of these files, 1 to ${MAX_KEPT}; without it all`,
	},
};

/** Where a back-up goes. */
type Target =
	| { readonly kind: "stdout" }
	| { readonly kind: "file"; readonly file: string }
	| {
			readonly kind: "series";
			readonly folder: string;
			/** Null when all are kept. */
			readonly keep: number | null;
	  };

/**
 * `resort backup FILE`, `resort backup --dir DIR` and `resort backup -`: copies the database, also while an instance
 * serves it.
 * @throws StartError with exit code 2 when the command line is wrong, `-` is a terminal or another program does this
 * for the engine, 1 when there is nothing to copy, FILE is there already, or something cannot be written
 */
export async function backup(args: readonly string[]): Promise<void> {
	const { file, flags } = parseOptionalFile("backup", args, backupFlags);
	const target = targetOf(file, flags);
	const { database } = readSettings(["database"], flags, process.env);
	const engine = engineOf(database);
	const signal = stopSignal();
	const copyTo = (path: string) =>
		engine.backUp(database, path, process.env, signal);
	switch (target.kind) {
		case "stdout": {
			const folder = process.env.TMPDIR || null;
			using made = await engine.backUpNameless(
				database,
				folder,
				process.env,
				signal,
			);
			return await pipeOut(made.descriptor, signal);
		}
		case "file": {
			const { path, bytes } = await copyTo(target.file);
			return tell({ backup: path, bytes });
		}
		case "series": {
			const { folder, keep } = target;
			const ending = engine.backUpEnding;
			const { path, bytes } = await addToSeries(folder, ending, copyTo);
			const { removed, failure } = removeOldest(path, ending, keep);
			tell({ backup: path, bytes, removed });
			if (failure !== null) throw failure;
		}
	}
}

/** @throws StartError */
function targetOf(file: string | null, { dir, keep }: Flags): Target {
	if (dir !== undefined) {
		if (file !== null) {
			throw wrong("backup takes FILE or --dir DIR, not both");
		}
		requireFolder(dir);
		return { kind: "series", folder: dir, keep: readKeep(keep) };
	}
	if (keep !== undefined) throw wrong("--keep goes with --dir DIR only");
	if (file === null) throw wrong("backup takes one FILE, -, or --dir DIR");
	if (file !== "-") return { kind: "file", file };
	if (isatty(STDOUT)) {
		throw new StartError(
			"stdout is a terminal: send the back-up into a pipe or a file, or name a FILE",
			2,
		);
	}
	requireStdout();
	return { kind: "stdout" };
}

function readKeep(text: string | undefined): number | null {
	if (text === undefined) return null;
	const keep = wholeNumber(text, MAX_KEPT, 1);
	if (keep !== undefined) return keep;
	throw new StartError(
		`--keep ${JSON.stringify(text)}: must be a whole number from 1 to ${MAX_KEPT}`,
		2,
	);
}

function wrong(what: string): StartError {
	return new StartError(`${what}; see resort backup --help`, 2);
}

function tell(summary: object): void {
	print(`${JSON.stringify(summary)}\n`);
}

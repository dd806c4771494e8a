import { lstatSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isatty } from "node:tty";
import { printJson, requireStdout, STDOUT } from "../core/commands/print.ts";
import type { Command } from "../core/commands/resort-command.ts";
import { stopSignal } from "../core/commands/signals.ts";
import { integer } from "../core/config/setting-kinds.ts";
import { SECOND_MS, toTimestamp } from "../core/lib/clock.ts";
import { readFlag } from "../core/lib/command-line.ts";
import { because, NameTaken, SettingError, UsageError } from "../core/lib/start-error.ts";
import type { Access, BackUp, Engine } from "../core/store/engine.ts";
import { DATED } from "./check-settings.ts";
import { configuration, engineOf } from "./features.ts";

const MAX_KEPT = 10_000;

const { settings } = configuration;

const flags = {
	database: { ...settings.database, help: "database file to copy" },
	config: settings.config,
	dir: { value: "DIR", help: "folder for a new file named after the current time, instead of FILE" },
	keep: integer(`with --dir: number of files to keep, 1 to ${MAX_KEPT}; default: all`, MAX_KEPT, 1),
};

/** `resort backup` */
export const backup: Command = {
	summary: "Copy the database to a file, even while an instance serves it",
	usage: ["FILE [FLAGS]", "--dir DIR [--keep N] [FLAGS]", "- [FLAGS]"],
	about: `The copy is consistent and complete. An existing FILE is not overwritten.
Prints one line of JSON on stdout: backup (the path) and bytes.

With --dir, the file is created in the folder DIR and named after the current time (UTC): resort-20261123T071500Z.sqlite.
With --keep, the oldest files with such names are then deleted until N are left, and the line of JSON also
contains removed (their paths).

With -, the copy, and nothing else, goes to stdout. It is first written to a temporary file in the folder TMPDIR,
if set, else next to the database. That file is always deleted. Exit code 1 if the copy is incomplete.

For a postgres:// database, use pg_dump; the error shows the command.`,
	words: "[FILE]",
	flags,
	async run(line) {
		const { dir } = line.flags;
		const [file] = line.words;
		const keep = readFlag(line, "keep", flags.keep);
		if (dir === undefined && keep !== undefined) {
			throw new UsageError("--keep requires --dir DIR");
		}
		if ((file === undefined) === (dir === undefined)) {
			throw new UsageError("backup requires either FILE or --dir DIR");
		}
		const { database } = configuration.readSome(["database"], line.flags, process.env);
		const engine = engineOf(database);
		const access = { database, environment: process.env, signal: stopSignal() };
		const copyTo = (path: string) => engine.backUp(access, path);
		if (dir !== undefined) {
			await addToSeries(dir, engine.backUpEnding, keep ?? Infinity, copyTo);
		} else if (file === "-") {
			await writeToStdout(engine, access);
		} else if (file !== undefined) {
			const { path, bytes } = await copyTo(file);
			printJson({ backup: path, bytes });
		}
	},
};

/** `resort restore` */
export const restore: Command = {
	summary: "Replace the database with a backup",
	about: `Checks FILE and replaces the database with a copy of it. No instance may serve the database.
The previous database is kept next to it as .before-restore-TIME.bak.
Prints one line of JSON on stdout: restored (the path) and kept (the path, or null if there was no database).
For a postgres:// database, use pg_restore; the error shows the command.`,
	words: "FILE",
	flags: { database: { ...settings.database, help: "database file to replace" }, config: settings.config },
	async run({ words: [file = ""], flags }) {
		const { database } = configuration.readSome(["database"], flags, process.env);
		const to = { database, environment: process.env };
		const { path, kept } = await engineOf(database).restore(to, file);
		printJson({ restored: path, kept });
	},
};

async function writeToStdout(engine: Engine, access: Access): Promise<void> {
	if (isatty(STDOUT)) {
		throw new SettingError("stdout is a terminal: redirect the backup into a pipe or a file, or name a FILE");
	}
	requireStdout();
	const { path } = await engine.backUp(access, null);
	const copy = openSync(path, "r");
	rmSync(path);
	// Exits at once, because `pipeline` would wait for the pending write. There is no file to delete: the
	// temporary copy is already unlinked.
	access.signal.addEventListener("abort", () => {
		process.stderr.write("resort: stopped: the backup is incomplete\n");
		process.exit(1);
	});
	try {
		await pipeline(Bun.file(copy).stream(), process.stdout);
	} catch (error) {
		throw because("cannot write the backup to stdout", error);
	}
}

/**
 * Creates a backup named after the current second, or after a later second if the name is taken. Then deletes
 * the oldest backups until `keep` are left, and prints the paths of the new file and the deleted ones.
 * @param copyTo creates the file; throws NameTaken if a file with this name exists
 * @throws StartError if the backup cannot be created, or an old one cannot be deleted
 */
async function addToSeries(
	folder: string,
	ending: string,
	keep: number,
	copyTo: (path: string) => Promise<BackUp>,
): Promise<void> {
	try {
		readdirSync(folder);
	} catch (error) {
		throw because(`--dir ${folder} cannot be used`, error);
	}
	for (;;) {
		// The name begins with the time, so backups that are sorted by name are also sorted by time.
		const name = `resort-${toTimestamp(Date.now()).replaceAll(/[-:]|\.\d+/g, "")}${ending}`;
		try {
			const { path, bytes } = await copyTo(join(folder, name));
			return deleteOldest(path, bytes, ending, keep);
		} catch (error) {
			if (!(error instanceof NameTaken)) throw error;
			await Bun.sleep(SECOND_MS - (Date.now() % SECOND_MS));
		}
	}
}

/**
 * Deletes the oldest backups until `keep` are left. Backups with a later name than the new one exist if the
 * clock was set back. They are ignored, because otherwise the new backup could be deleted as the oldest.
 */
function deleteOldest(newest: string, bytes: number, ending: string, keep: number): void {
	const removed: string[] = [];
	const folder = dirname(newest);
	try {
		const earlier = readdirSync(folder)
			.filter((name) => DATED.test(name) && name.length === basename(newest).length)
			.filter((name) => name.endsWith(ending) && name < basename(newest))
			.map((name) => join(folder, name))
			.filter(isBackUp)
			.toSorted();
		for (const old of earlier.slice(0, Math.max(0, earlier.length + 1 - keep))) {
			rmSync(old, { force: true });
			removed.push(old);
		}
	} catch (error) {
		throw because(`the backup was created, but an older one in ${folder} cannot be deleted`, error);
	} finally {
		printJson({ backup: newest, bytes, removed });
	}
}

/** Whether a file is a backup, and not an empty file with which another process reserves the name. */
function isBackUp(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isFile() === true && found.size > 0;
}

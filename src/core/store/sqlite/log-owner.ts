import { constants, Database } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import { StartError } from "../../lib/start-error.ts";
import { hasLog, JOURNAL_BYTE, readHeader, WAL_MODE } from "./database-file.ts";

/**
 * The flags of {@link requireOwnLog}. The file itself is read by a URL with `immutable=1`, with which SQLite
 * ignores the log (https://www.sqlite.org/uri.html).
 */
const READ_ONLY = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_NOFOLLOW;
const READ_URL = READ_ONLY | constants.SQLITE_OPEN_URI;

/**
 * Gives the log of a serving process a random name, by which {@link requireOwnLog} recognizes it. First, the
 * file gets the new name as its second name. Only after that is on disk does the log use the new name. So the
 * file contains the name of its log after a crash at any step. If the disk is full, or another process reads,
 * the log keeps the name of the last process.
 *
 * The names are in the table `sqlite_sequence`, which every database has, and which other versions leave
 * unchanged. SQLite writes this table with every event, so a log contains the names again soon after SQLite
 * has emptied it.
 */
export function nameLog(sqlite: Database): void {
	const name = crypto.randomUUID();
	try {
		// Saves the syncs of the two commits: a checkpoint syncs the log before it writes the file.
		sqlite.run("PRAGMA synchronous = NORMAL");
		const [before = crypto.randomUUID()] = readNames(sqlite);
		for (const first of [before, name]) {
			if (!mergeLog(sqlite)) return;
			const names = [`${first} ${name}`];
			const { changes } = sqlite.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'log'", names);
			if (changes === 0) sqlite.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('log', ?)", names);
		}
	} catch {
		// The health check reports that the database cannot be written.
	} finally {
		sqlite.run("PRAGMA synchronous = FULL");
	}
}

/** Merges the log into the file and empties the log. Returns false if another process prevents this. */
export function mergeLog(sqlite: Database): boolean {
	using statement = sqlite.prepare<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)");
	return statement.get()?.busy === 0;
}

/**
 * Requires that the log next to a database file belongs to this state of the file, because SQLite would merge
 * any log. A backup that was copied over a database is recognized because backups are not in WAL mode
 * (https://www.sqlite.org/fileformat.html, 1.3.3), other copies by the names of {@link nameLog}. Databases of
 * version 1.0 have no names until they are served.
 * @throws StartError if the log belongs to another database or to another state of the file
 */
export function requireOwnLog(file: string): void {
	if (!hasLog(file)) return;
	if ((readHeader(file)[JOURNAL_BYTE] ?? WAL_MODE) === WAL_MODE) {
		const [name] = readNamesOf(file, READ_ONLY);
		if (name === undefined) return;
		const names = readNamesOf(`${pathToFileURL(file).href}?immutable=1`, READ_URL);
		if (names.length === 0 || names.includes(name)) return;
	}
	throw new StartError(
		`${file}-wal belongs to another database, or to another state of ${file}: stop the resort if it runs, run rm '${file}-wal', and use resort restore for backups`,
	);
}

function readNamesOf(path: string, flags: number): string[] {
	try {
		using sqlite = new Database(path, flags);
		return readNames(sqlite);
	} catch {
		// If the content is damaged or locked, the caller's own queries report it.
		return [];
	}
}

/** Returns the names, of which the log uses the first one; an empty list if there are none. */
function readNames(sqlite: Database): string[] {
	using statement = sqlite.prepare<{ seq: string }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'log'");
	return statement.get()?.seq.split(" ") ?? [];
}

import { expect } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../../../src/core/store/sqlite/sqlite-store.ts";
import { copyDatabase } from "../../../../src/features/postgres/copy-command.ts";
import { insertAgent } from "../../../core/store/rows.ts";
import { ProgramFolder } from "../../../support/folder.ts";
import { tables } from "../../../support/store.ts";
import { readDatabase, schemaOf } from "./read-all.ts";

/** A folder for copies of databases. */
export class CopyFolder extends ProgramFolder {
	/** Requires that a copy succeeds and prints one line. */
	async copyWell(from: string, to: string) {
		const stdout = await this.succeed(["copy", from, to]);
		expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
		return JSON.parse(stdout) as { copy: string; tables: Record<string, { rows: number; sha256: string }> };
	}

	/** Requires that a copy fails. Copies in this process, because that is faster than starting a program. */
	async copyInVain(from: string, to: string, message: RegExp) {
		const [source, target] = [from, to].map((name) => (name.includes(":") ? name : this.file(name)));
		const copying = copyDatabase(tables, `${source}`, `${target}`, new AbortController().signal);
		const failure = { exitCode: 1, message: expect.stringMatching(message) };
		await expect(copying).rejects.toMatchObject(failure);
	}

	/** Returns the files that a copy must not change: all but lock files and SQLite's `-wal` and `-shm` files. */
	files() {
		return Object.entries(this.contents()).filter(([name]) => isKept(name));
	}

	/** The names of the files that {@link files} returns, and of broken symbolic links. */
	override names(): string[] {
		return super.names().filter(isKept);
	}

	/** Creates a small database file of the current version. */
	async makeFile(name = "resort.sqlite"): Promise<void> {
		const store = openStore(this.file(name));
		insertAgent(store, "a");
		await store.close();
	}
}

function isKept(name: string): boolean {
	return !/^resort\.sqlite-(wal|shm)$|-lock$/.test(name);
}

/** The state of a database that a refused copy must not change. */
export async function stateOf(url: string) {
	await using sql = new SQL(url, { max: 1 });
	const sequences = await sql`
		select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`;
	return { schema: await schemaOf(url), contents: await readDatabase(url), sequences: [...sequences] };
}

import { rmSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../src/core/lib/once.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import { onPostgres } from "./engine.ts";
import { testServerDatabases } from "./features.ts";
import { TemporaryFolder } from "./folder.ts";
import type { TestStore } from "./store.ts";

/** A database that several resorts in a test open, one after the other or at the same time. */
export class LastingDatabase implements AsyncDisposable {
	readonly #folder = new TemporaryFolder();
	readonly #file = join(this.#folder.path, "resort.sqlite");
	#isMade = false;
	readonly #url = once(() => {
		this.#isMade = true;
		return testServerDatabases().create();
	});

	/** Opens a connection. Closing it does not delete the database. */
	open(): TestStore {
		return onPostgres ? testServerDatabases().open(this.#url) : openStore(this.#file);
	}

	/** Removes the lock file, so that a second instance can open the database at the same time. */
	share(): void {
		rmSync(`${this.#file}-lock`, { force: true });
	}

	/** Deletes the database. All connections must be closed before. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#folder[Symbol.dispose]();
		if (this.#isMade) await testServerDatabases().drop(await this.#url());
	}
}

import { rmSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../src/core/lib/once.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import { onPostgres } from "./engine.ts";
import { testServerDatabases } from "./features.ts";
import { TemporaryFolder } from "./folder.ts";
import type { TestStore } from "./store.ts";

/** A database that resorts of a test open one after the other, or at the same time. */
export class LastingDatabase implements AsyncDisposable {
	readonly #folder = new TemporaryFolder();
	readonly #file = join(this.#folder.path, "resort.sqlite");
	#isMade = false;
	readonly #url = once(() => {
		this.#isMade = true;
		return testServerDatabases().create();
	});

	/** Opens it once more; who closes that does not end it. */
	open(): TestStore {
		return onPostgres ? testServerDatabases().open(this.#url) : openStore(this.#file);
	}

	/** Lets it be opened while it is open already: a lock keeps a second instance from a file. */
	share(): void {
		rmSync(`${this.#file}-lock`, { force: true });
	}

	/** Removes it, once all have closed it. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#folder[Symbol.dispose]();
		if (this.#isMade) await testServerDatabases().drop(await this.#url());
	}
}

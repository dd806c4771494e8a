import { afterEach, beforeEach } from "bun:test";
import {
	openStore,
	type SqliteStore,
} from "../../src/store/sqlite/sqlite-store.ts";
import { standIn } from "../support/stand-in.ts";
import { TemporaryFolder } from "../support/temporary-folder.ts";

/** Opens a store on a file of its own for each test of the file; see {@link standIn}. */
export function useStore(): { folder: TemporaryFolder; store: SqliteStore } {
	let folder: TemporaryFolder;
	let store: SqliteStore;
	beforeEach(() => {
		folder = new TemporaryFolder();
		store = openStore(folder.file());
	});
	afterEach(async () => {
		await store.close();
		folder[Symbol.dispose]();
	});
	return {
		folder: standIn(() => folder),
		store: standIn(() => store),
	};
}

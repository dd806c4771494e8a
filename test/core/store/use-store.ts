import { afterEach, beforeEach } from "bun:test";
import { openStore, type SqliteStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { type TemporaryFolder, useFreshFolder } from "../../support/folder.ts";
import { standIn } from "../../support/use-disposable.ts";

/** Opens a store on a new file for each test; see {@link standIn}. */
export function useStore(): { folder: TemporaryFolder; store: SqliteStore } {
	const folder = useFreshFolder();
	let store: SqliteStore;
	beforeEach(() => {
		store = openStore(folder.file());
	});
	afterEach(() => store.close());
	return { folder, store: standIn(() => store) };
}

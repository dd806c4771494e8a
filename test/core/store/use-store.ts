import { afterEach, beforeEach } from "bun:test";
import { openStore, type SqliteStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { rule } from "../../support/store.ts";
import { standIn } from "../../support/use-disposable.ts";
import { insertAgent } from "./rows.ts";

/**
 * Opens a store on a new file for each test. The returned `store` is a proxy (see {@link standIn}) for the
 * store of the current test.
 */
export function useStore() {
	const folder = useFreshFolder();
	let store: SqliteStore;
	beforeEach(() => {
		store = openStore(folder.file());
	});
	afterEach(() => store.close());
	/** Runs a function in a write transaction of the store. The function may use the connection directly. */
	const write = <T>(run: () => T) => store.write(rule(run));
	/** Adds an agent. Returns its id after the commit. */
	const add = (id: string) =>
		write(() => {
			insertAgent(store, id);
			return id;
		});
	return { folder, store: standIn(() => store), write, add };
}

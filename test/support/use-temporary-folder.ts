import { afterAll } from "bun:test";
import { TemporaryFolder } from "./temporary-folder.ts";

/** Makes a folder for the tests of the file, and deletes it after the last one. */
export function useTemporaryFolder(): TemporaryFolder {
	const folder = new TemporaryFolder();
	afterAll(() => folder[Symbol.dispose]());
	return folder;
}

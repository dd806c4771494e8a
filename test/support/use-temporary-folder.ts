import { afterAll } from "bun:test";
import { ProgramFolder } from "./program-folder.ts";

/** Makes a folder for the tests of the file, and deletes it after the last one. */
export function useTemporaryFolder(): ProgramFolder {
	const folder = new ProgramFolder();
	afterAll(() => folder[Symbol.dispose]());
	return folder;
}

import { afterAll } from "bun:test";
import { temporaryFolder } from "./executable.ts";

/** Makes a folder for the tests of the file, and deletes it after the last one. */
export function useTemporaryFolder(): { readonly path: string } {
	const folder = temporaryFolder();
	afterAll(() => folder[Symbol.dispose]());
	return folder;
}

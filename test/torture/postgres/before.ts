import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/documents.ts";
import { requireProgram } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";

/** The executable of another commit. */
export interface Built extends Disposable {
	readonly executable: string;
}

/** Builds the executable of a commit in a separate folder, with this project's `node_modules`. */
export async function buildBefore(commit: string): Promise<Built> {
	using opened = new DisposableStack();
	const folder = opened.use(new TemporaryFolder());
	await requireProgram(["git", "cat-file", "-e", `${commit}:src/features/postgres`], { cwd: root });
	await requireProgram(["git", "archive", "-o", folder.file("before.tar"), commit], { cwd: root });
	await requireProgram(["tar", "-xf", "before.tar"], { cwd: folder.path });
	symlinkSync(join(root, "node_modules"), folder.file("node_modules"));
	await requireProgram([process.execPath, "scripts/build.ts"], { cwd: folder.path });
	const built = opened.move();
	return { executable: folder.file("dist/resort"), [Symbol.dispose]: () => built.dispose() };
}

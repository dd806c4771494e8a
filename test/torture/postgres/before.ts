import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../support/documents.ts";
import { requireProgram } from "../../support/executable.ts";

/** The executable of another commit. */
export interface Built extends Disposable {
	readonly executable: string;
}

/** Builds the executable of a commit in a separate folder, with the packages of this project. */
export async function buildBefore(commit: string): Promise<Built> {
	const folder = mkdtempSync(join(tmpdir(), "resort-before-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	try {
		await requireProgram(["git", "cat-file", "-e", `${commit}:src/features/postgres`], { cwd: root });
		const archive = join(folder, "before.tar");
		await requireProgram(["git", "archive", "-o", archive, commit], { cwd: root });
		await requireProgram(["tar", "-xf", archive], { cwd: folder });
		symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
		await requireProgram([process.execPath, "scripts/build.ts"], { cwd: folder });
		return { executable: join(folder, "dist/resort"), [Symbol.dispose]: remove };
	} catch (error) {
		remove();
		throw error;
	}
}

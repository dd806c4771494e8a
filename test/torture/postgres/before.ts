import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../support/documents.ts";
import { endOf } from "../../support/executable.ts";

/** The executable of another commit. */
export interface Built extends Disposable {
	readonly executable: string;
}

/** Builds the executable of a commit in a separate folder, with the packages of this project. */
export async function buildBefore(commit: string): Promise<Built> {
	const folder = mkdtempSync(join(tmpdir(), "resort-before-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	try {
		await run(["git", "cat-file", "-e", `${commit}:src/features/postgres`], root);
		const archive = join(folder, "before.tar");
		await run(["git", "archive", "-o", archive, commit], root);
		await run(["tar", "-xf", archive], folder);
		symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
		await run([process.execPath, "scripts/build.ts"], folder);
		return { executable: join(folder, "dist/resort"), [Symbol.dispose]: remove };
	} catch (error) {
		remove();
		throw error;
	}
}

async function run(command: readonly string[], cwd: string): Promise<void> {
	const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" });
	const { exitCode, stderr } = await endOf(child);
	if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireProgram } from "../support/executable.ts";

/** A folder that is kept between runs. It is outside of the repository, so that tools do not search it. */
const cache = join(tmpdir(), "agent-resort-peers");

/**
 * Returns a folder with these packages in `node_modules`. Installs the packages unless an earlier run did.
 * The name of the folder depends on the versions of the packages, so a new version gets a new folder.
 * @throws Error with the output of npm
 */
export async function installPackages(name: string, packages: readonly string[]): Promise<string> {
	mkdirSync(cache, { recursive: true, mode: 0o700 });
	if (statSync(cache).uid !== process.getuid?.()) {
		throw new Error(`${cache} belongs to another user`);
	}
	const folder = join(cache, `${name}-${Bun.hash(packages.join()).toString(36)}`);
	if (existsSync(folder)) return folder;
	// Matches the folders to delete: of other versions, and of failed installations.
	const others = new RegExp(`^${name}-[0-9a-z]+(\\.partial)?$`);
	for (const old of readdirSync(cache)) {
		if (others.test(old)) rmSync(join(cache, old), { recursive: true });
	}
	const partial = `${folder}.partial`;
	mkdirSync(partial);
	writeFileSync(
		join(partial, "package.json"),
		JSON.stringify({ private: true, type: "module", allowScripts: { node: true } }),
	);
	if (packages.length > 0) {
		const quietly = ["--no-audit", "--no-fund", "--loglevel=error"];
		await requireProgram(["npm", "install", ...quietly, ...packages], { cwd: partial });
	}
	renameSync(partial, folder);
	return folder;
}

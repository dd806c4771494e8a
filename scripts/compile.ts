import { resolve } from "node:path";
import { $ } from "bun";

/** The checkout's folder. */
export const root = resolve(import.meta.dir, "..");

/** The number of digits of a commit. */
const DIGITS = 7;

/**
 * Returns the commit to show as part of the version: `$COMMIT`, for builds without the repository, or the
 * checkout's. Empty if there is neither.
 */
export async function commitOf(folder: string): Promise<string> {
	const { COMMIT = "" } = process.env;
	if (COMMIT !== "") return COMMIT.slice(0, DIGITS);
	const git = (args: string[]) => $`git ${args}`.cwd(folder).quiet().text();
	try {
		// The folder may be a source archive that lies within another repository.
		if ((await git(["rev-parse", "--show-cdup"])).trim() !== "") return "";
		const args = ["--always", "--dirty", `--abbrev=${DIGITS}`, "--exclude=*"];
		return (await git(["describe", ...args])).trim();
	} catch {
		return "";
	}
}

/**
 * Compiles the program into one executable.
 * The two `no-autoload` flags keep it from reading a stranger's `.env` and `bunfig.toml`. It is split, so
 * that a command loads only its own parts. White space is removed, but names stay: Elysia compares those of
 * constructors.
 * @param outfile where to put it, from the checkout on; Bun adds `.exe` for Windows
 * @param target Bun's name of another platform (`bun-linux-arm64`), whose runtime Bun downloads when it
 *   has none; this machine's when not given
 * @param entry the program's first file; the benchmark builds another one in the same way
 * @throws Error with the compiler's words when it cannot be built
 */
export async function compile(outfile: string, target?: string, entry = "src/main.ts"): Promise<void> {
	const platform = target === undefined ? [] : [`--target=${target}`];
	const commit = JSON.stringify(await commitOf(root));
	const { exitCode, stderr } =
		await $`bun build ${entry} --root ${root} --compile --bytecode --format=esm --splitting --minify-whitespace --no-compile-autoload-dotenv --no-compile-autoload-bunfig --define BUILD_COMMIT=${commit} ${platform} --outfile ${resolve(root, outfile)}`
			.cwd(root)
			.quiet()
			.nothrow();
	if (exitCode !== 0) throw new Error(stderr.toString().trim());
}

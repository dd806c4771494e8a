import { resolve } from "node:path";
import { $ } from "bun";

/** The checkout's folder. */
export const root = resolve(import.meta.dir, "..");

/** The number of digits of a commit. */
const DIGITS = 7;

/**
 * Returns the commit to show as part of the version: `$COMMIT`, which builds without a repository set, or the
 * commit of the checkout. Empty if there is neither.
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
 * Compiles the program into one executable. Because of the two `no-autoload` flags, the executable does not
 * read the files `.env` and `bunfig.toml` of the folder in which it runs. Because of `--splitting`, a command
 * loads only its own modules. Names are not minified, because Elysia compares the names of constructors.
 * @param outfile the path of the executable, relative to the checkout; Bun adds `.exe` for Windows
 * @param target Bun's name for the platform, such as `bun-linux-arm64`; by default, the platform of this
 * machine. Bun downloads the runtime of another platform unless it is in the cache
 * @param entry the entry file of the program; the benchmark compiles another one
 * @throws Error with the output of the compiler
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

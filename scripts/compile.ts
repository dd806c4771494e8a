import { resolve } from "node:path";
import { $ } from "bun";

/** The checkout's folder. */
export const root = resolve(import.meta.dir, "..");

/** With more the start gains nothing. */
const START_JIT_POLICY = 16;

/**
 * Compiles the program into one executable.
 * The two `no-autoload` flags keep it from reading a stranger's `.env` and `bunfig.toml`. It is split, so
 * that a command loads its own parts alone. It is not minified: Elysia compares constructor names. The JIT
 * waits for {@link START_JIT_POLICY} times as many calls until the application asks for its normal policy
 * (https://bun.com/reference/bun/CompileBuildOptions/jitPolicy): what runs at a start runs once.
 * @param outfile where to put it, from the checkout on; Bun adds `.exe` for Windows
 * @param target Bun's name of another platform (`bun-linux-arm64`), whose runtime Bun downloads when it
 *   has none; this machine's when not given
 * @param entry the program's first file; the benchmark builds another one in the same way
 * @throws Error with the compiler's words when it cannot be built
 */
export async function compile(
	outfile: string,
	target?: string,
	entry = "src/main.ts",
): Promise<void> {
	const platform = target === undefined ? [] : [`--target=${target}`];
	const { exitCode, stderr } =
		await $`bun build ${entry} --compile --bytecode --format=esm --splitting --no-compile-autoload-dotenv --no-compile-autoload-bunfig --compile-jit-policy=${START_JIT_POLICY} ${platform} --outfile ${resolve(root, outfile)}`
			.cwd(root)
			.quiet()
			.nothrow();
	if (exitCode !== 0) throw new Error(stderr.toString().trim());
}

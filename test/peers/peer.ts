/**
 * Tries tools of other projects with the built executable: `npm run peers [-- -t NAME]`. Their packages are
 * downloaded once, into a cache in the folder for temporary files.
 */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { startResort } from "../../src/features/testing/testing-module/start-resort.ts";
import type { RunningResort, StartOptions } from "../../src/features/testing/testing-module/testing-types.ts";
import { clientPackage } from "../client/client.ts";
import { endOf, executable } from "../support/executable.ts";
import { installPackages } from "./packages.ts";

/** The maximum duration of a command. */
const TIMEOUT_MS = 60_000;

/** The maximum number of characters of output that an error shows. */
const MAX_OUTPUT = 4_000;

/** The version of Node that runs the tools. Several of them require a newer one than the resort does. */
const NODE = "node@24.21.0";

/** The functions and values that a test of a tool uses. */
export type Context = Awaited<ReturnType<typeof createContext>>;

// Ctrl-C does not reach the tools. Handlers of `exit` kill them, but would not run if the signal ended this
// program.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

/**
 * Defines a test with a tool of another project.
 * @param packages npm packages with exact versions
 */
export function testPeer(
	name: string,
	packages: readonly string[],
	body: (context: Context) => Promise<void>,
): void {
	test(`${name} works with dist/resort`, async () => {
		await using context = await createContext(name, packages);
		await body(context);
	});
}

/**
 * Installs packages, and returns the context of a tool. Disposing of the context stops all started processes,
 * and deletes the folder.
 */
async function createContext(name: string, packages: readonly string[]) {
	const installed = join(await installPackages(name, packages), "node_modules/.bin");
	const node = join(await installPackages("node", [NODE]), "node_modules/node/bin");
	const cleanUp = new AsyncDisposableStack();
	/** An empty folder. Programs in it can import the packages. */
	const folder = mkdtempSync(join(installed, "../../run-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	process.on("exit", remove);
	cleanUp.defer(() => {
		process.off("exit", remove);
		remove();
	});
	/** The environment of all commands. Tests pass it to libraries that start a command themselves. */
	const env = {
		PATH: `${installed}:${node}:${process.env.PATH}`,
		HOME: folder,
		RESORT_EXECUTABLE: executable,
		NO_COLOR: "1",
	};

	/** Writes a file into the folder. */
	function write(name: string, content: string | Uint8Array): void {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	write("package.json", '{"private":true,"type":"module"}');

	function spawn(command: readonly string[], more = {}) {
		// The command runs in a separate process group, so that all of its processes can be killed together.
		const child = Bun.spawn([...command], {
			cwd: folder,
			env: { ...env, ...more },
			detached: true,
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const kill = () => {
			try {
				process.kill(-child.pid, "SIGKILL");
			} catch {
				// The processes have already ended.
			}
		};
		process.on("exit", kill);
		child.exited.then(() => process.off("exit", kill));
		return { child, kill };
	}

	/** Starts an instance of `dist/resort`, which is stopped at the end of the test. */
	async function serve(options?: StartOptions): Promise<RunningResort> {
		const resort = await startResort({ executable, ...options });
		cleanUp.defer(() => resort.stop());
		return resort;
	}

	/**
	 * Runs a command in the folder to its end, and returns its stdout. The `PATH` contains the programs of the
	 * packages, and Node 24.
	 * @throws Error with the output of the command if it fails, or has not ended after a minute
	 */
	async function run(command: readonly string[], more?: Readonly<Record<string, string>>): Promise<string> {
		const { child, kill } = spawn(command, more);
		let isLate = false;
		const timer = setTimeout(() => {
			isLate = true;
			kill();
		}, TIMEOUT_MS);
		const { exitCode, stdout, stderr } = await endOf(child);
		clearTimeout(timer);
		if (exitCode === 0) return stdout;
		const how = isLate
			? `did not end within ${TIMEOUT_MS / 1_000} s`
			: `ended with ${child.signalCode ?? exitCode}`;
		const output = `${stderr}\n${stdout}`.trim().slice(-MAX_OUTPUT);
		throw new Error(`${command.slice(0, 3).join(" ")} ${how}: ${output}`);
	}

	/** Runs a command as `run` does. Fails if the last line of its output is not `lastLine`. */
	async function expectOutput(lastLine: string, ...call: Parameters<typeof run>): Promise<void> {
		const stdout = await run(...call);
		expect(stdout.trim().split("\n").at(-1)).toBe(lastLine);
	}

	/** Installs in the folder the npm package from the build, which contains `agent-resort/testing`. */
	async function installModule(): Promise<void> {
		const to = join(folder, "node_modules/agent-resort");
		mkdirSync(to, { recursive: true });
		await run(["tar", "-xzf", clientPackage, "--strip-components=1", "-C", to]);
	}

	/**
	 * Compiles a TypeScript file in the folder in strict mode. The packages of the tool must include
	 * `typescript` and `@types/node`.
	 */
	async function compile(file: string): Promise<void> {
		const flags =
			"--noEmit --strict --skipLibCheck --target esnext --module preserve --types node --allowImportingTsExtensions";
		await run(["tsc", ...flags.split(" "), file]);
	}

	/** Starts a command, waits until its output contains `ready`, and stops it when the test ends. */
	async function start(command: readonly string[], ready: string): Promise<void> {
		const { child, kill } = spawn(command);
		cleanUp.defer(kill);
		const timer = setTimeout(kill, TIMEOUT_MS);
		const isReady = Promise.withResolvers<void>();
		let output = "";
		for (const stream of [child.stdout, child.stderr]) {
			(async () => {
				for await (const chunk of stream) {
					output += new TextDecoder().decode(chunk);
					if (output.includes(ready)) isReady.resolve();
				}
				const shown = output.slice(-MAX_OUTPUT);
				isReady.reject(new Error(`${command[0]} is not ready: ${shown}`));
			})();
		}
		await isReady.promise.finally(() => clearTimeout(timer));
	}

	const tools = { folder, env, write, serve, run, expectOutput, installModule, compile, start };
	return { ...tools, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() };
}

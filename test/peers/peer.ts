import type { RunningResort, StartOptions } from "../../src/features/testing/testing-module/testing-types.ts";

/** A tool of another project that is tried with an instance. The files in `tools` export them. */
export interface Peer {
	/** Selects the tool on the command line. */
	readonly name: string;
	/** Packages of npm with exact versions. */
	readonly packages: readonly string[];
	/** Tries the tool, with a call of `check` for each thing that is tried. */
	run(context: Context): Promise<void>;
}

/** What a tool is tried with. */
export interface Context {
	/** An empty folder, deleted afterwards. Programs in it can import the packages. */
	readonly folder: string;
	/** Runs a check. What `body` throws is the reason of the failure; the checks after it run nevertheless. */
	check(tried: string, expected: string, body: () => Promise<void>): Promise<void>;
	/** Writes a file of the folder. */
	write(name: string, content: string | Uint8Array): void;
	/** Starts an instance of `dist/resort`, which is stopped afterwards. */
	serve(options?: StartOptions): Promise<RunningResort>;
	/** Installs the package that the build makes, with `agent-resort/testing`, in the folder. */
	installModule(): Promise<void>;
	/**
	 * Runs a command in the folder to its end, and returns its stdout. The programs of the packages, and Node
	 * 24, are on the `PATH`.
	 * @throws Error with its output if it fails, or has not ended after a minute
	 */
	run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
	/** Runs a command like `run`. Fails if its last line is another one. */
	expectOutput(
		lastLine: string,
		command: readonly string[],
		env?: Readonly<Record<string, string>>,
	): Promise<void>;
	/**
	 * Compiles a TypeScript file of the folder strictly, with `typescript` and `@types/node` of the packages.
	 */
	compile(file: string): Promise<void>;
	/** Starts a command like `run`, waits until its output contains `ready`, and stops it afterwards. */
	start(command: readonly string[], ready: string): Promise<void>;
	/** The environment of these commands, for a library that starts one itself. */
	readonly env: Readonly<Record<string, string>>;
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { RemoteResort } from "./calls.ts";
import { requireNoSecrets } from "./secrets.ts";
import { until } from "./until.ts";

/** The executable that `bun run build` makes. */
export const executable = join(import.meta.dir, "../../dist/resort");

/**
 * The command that runs the same program from the sources, without a build. Used as `program` in a {@link
 * Place}.
 */
export const sources: readonly string[] = [process.execPath, join(import.meta.dir, "../../src/main.ts")];

/** Matches the keys of fixtures, which the program prints on purpose in its ready line. */
const TOLD_KEYS = /,"keys":\{[^}]*\}/;

/** The exit code and the output of a program that has ended. */
export interface Ended {
	readonly exitCode: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** A resort that runs in a separate process. */
export class Serving extends RemoteResort {
	constructor(
		url: string,
		readonly pid: number,
		private readonly child: Bun.Subprocess,
		private readonly ended: Promise<Ended>,
		private readonly log: () => string,
	) {
		super(url);
	}

	/** Waits until the log contains `times` lines with a message. */
	async waitForLog(message: string, times = 1): Promise<void> {
		await until(() => this.log().split(`"message":"${message}"`).length > times);
	}

	get port(): number {
		return Number(new URL(this.url).port);
	}

	/** Null while the process runs. */
	get exitCode(): number | null {
		return this.child.exitCode;
	}

	/** Sends a signal, and waits until the process has ended. Throws if the output contains a credential. */
	readonly stop = (signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> => {
		this.child.kill(signal);
		return this.ended;
	};

	override async close(): Promise<void> {
		await this.stop();
	}
}

/** Where and how a program runs. `env` is its complete environment. */
export interface Place {
	readonly cwd: string;
	readonly env?: Record<string, string>;
	/** A command prefix, such as the result of `asUser`. */
	readonly before?: readonly string[];
	/** The input on stdin; empty if omitted. */
	readonly stdin?: string;
	readonly program?: readonly string[];
}

/** Reads the complete output of a process, and waits for its end. */
export async function endOf(
	child: Bun.Subprocess<Bun.SpawnOptions.Writable, "pipe", "pipe">,
): Promise<Ended> {
	const [stdout, stderr, exitCode] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	return { exitCode, stdout, stderr };
}

/** The folder and the environment of a program; by default those of this process. */
interface Surroundings {
	readonly cwd?: string;
	readonly env?: Record<string, string | undefined>;
}

/** Runs a program until it ends. */
export function runProgram(command: readonly string[], place: Surroundings = {}): Promise<Ended> {
	return endOf(Bun.spawn([...command], { ...place, stdout: "pipe", stderr: "pipe" }));
}

/**
 * Runs a program that must succeed, and returns its stdout.
 * @throws Error with the output of the program, if it fails
 */
export async function requireProgram(command: readonly string[], place: Surroundings = {}): Promise<string> {
	const { exitCode, stdout, stderr } = await runProgram(command, place);
	if (exitCode === 0) return stdout;
	throw new Error(`${command.join(" ")}: ${stdout}${stderr}`);
}

/** Runs the executable until it ends. Throws if the output contains a credential. */
export function run(args: readonly string[], place: Place): Promise<Ended> {
	return spawn(args, place).ended;
}

/** Starts the executable and waits for its ready line. */
export async function serve(args: readonly string[], place: Place): Promise<Serving> {
	const { child, firstLine, ended, log } = spawn(args, place);
	const line = await firstLine;
	if (line === "") throw new Error(`did not start: ${(await ended).stderr}`);
	const { url, pid } = JSON.parse(line);
	return new Serving(url, pid, child, ended, log);
}

/** Starts the executable. `await using` kills it. */
export function start(args: readonly string[], place: Place) {
	const { child, ended } = spawn(args, place);
	return {
		child,
		ended,
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await ended;
		},
	};
}

function spawn(
	args: readonly string[],
	{ cwd, env = {}, before = [], program = [executable], stdin }: Place,
) {
	const command = [...before, ...program, ...args];
	if (command.includes(executable) && !existsSync(executable)) {
		throw new Error("dist/resort does not exist: run npm run build first");
	}
	const child = Bun.spawn(command, {
		cwd,
		env,
		stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
		stdout: "pipe",
		stderr: "pipe",
	});
	const output = { stdout: "", stderr: "" };
	const line = Promise.withResolvers<string>();
	const read = async (name: "stdout" | "stderr") => {
		const decoder = new TextDecoder();
		for await (const chunk of child[name]) {
			output[name] += decoder.decode(chunk, { stream: true });
			if (output.stdout.includes("\n")) line.resolve(output.stdout);
		}
	};
	const readAll = Promise.all([read("stdout").finally(() => line.resolve(output.stdout)), read("stderr")]);
	return {
		child,
		firstLine: line.promise,
		/** Returns what the program has written to stderr. */
		log: () => output.stderr,
		ended: (async (): Promise<Ended> => {
			await readAll;
			const ended = { exitCode: await child.exited, ...output };
			requireNoSecrets(ended.stderr);
			// Not checked: `resort admin` prints new keys, and the program that `resort test` runs may print keys.
			if (args[0] !== "test" && args[0] !== "admin") {
				requireNoSecrets(
					args.includes("--test-controls") ? ended.stdout.replace(TOLD_KEYS, "") : ended.stdout,
				);
			}
			return ended;
		})(),
	};
}

/** Returns the lines of a log above the level INFO. */
export function warningsIn({ stderr }: Ended): string[] {
	const lines = stderr.split("\n").filter((line) => line !== "");
	return lines.filter((line) => JSON.parse(line).level !== "INFO");
}

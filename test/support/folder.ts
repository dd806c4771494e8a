import { afterAll, beforeEach, expect } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, executable, type Place, run, type Serving, serve } from "./executable.ts";

/** A new folder; `using` deletes it. */
export class TemporaryFolder implements Disposable {
	readonly path = mkdtempSync(join(tmpdir(), "resort-test-"));

	file(name = "resort.sqlite"): string {
		return join(this.path, name);
	}

	write(content: string | Uint8Array, name = "file"): string {
		writeFileSync(this.file(name), content);
		return this.file(name);
	}

	/** Returns the content of each file by its name, to compare the folder before and after a command. */
	contents(): Record<string, string> {
		const names = readdirSync(this.path, { withFileTypes: true })
			.filter((entry) => !entry.isSocket())
			.map(({ name }) => name)
			.toSorted();
		return Object.fromEntries(names.map((name) => [name, readFileSync(this.file(name)).toBase64()]));
	}

	[Symbol.dispose](): void {
		rmSync(this.path, { recursive: true, force: true });
	}
}

type Surroundings = Partial<Place>;

/**
 * The files that the first call of `visit` created in an empty folder. Later calls copy these files instead
 * of starting the executable.
 */
let visited: { readonly id: string; readonly files: Readonly<Record<string, string>> } | undefined;

/** The flags with which `resort doctor` does not look for a running instance. */
const NO_INSTANCE = ["--port", "0"];

/** A folder in which the executable runs. */
export class ProgramFolder extends TemporaryFolder {
	run(args: readonly string[], place: Surroundings = {}): Promise<Ended> {
		return run(args, { cwd: this.path, ...place });
	}

	serve(args: readonly string[], place: Surroundings = {}): Promise<Serving> {
		return serve(args, { cwd: this.path, ...place });
	}

	/** Starts an instance in the folder, registers an agent, and stops the instance. Returns the agent's id. */
	async visit(signal?: NodeJS.Signals, place?: Surroundings): Promise<string> {
		const isUsual = signal === undefined && place === undefined;
		const isFirst = isUsual && readdirSync(this.path).length === 0;
		if (isFirst && visited !== undefined) {
			for (const [name, bytes] of Object.entries(visited.files)) {
				writeFileSync(this.file(name), Buffer.from(bytes, "base64"), { mode: 0o600 });
			}
			return visited.id;
		}
		const flags = ["--port", "0", "--rate-limits", "off"];
		const instance = await this.serve(flags, place);
		const { id } = await instance.register();
		await instance.stop(signal);
		if (isFirst) visited = { id, files: this.contents() };
		return id;
	}

	/** Runs a line of bash, in which "$0" is the executable. */
	shell(line: string, place: Surroundings = {}): Promise<Ended> {
		return this.run([executable], {
			env: { PATH: process.env.PATH ?? "" },
			program: ["/bin/bash", "-c", line],
			...place,
		});
	}

	/** Runs a command that must succeed without a line on stderr, and returns its stdout. */
	async succeed(args: readonly string[], place: Surroundings = {}): Promise<string> {
		const { exitCode, stdout, stderr } = await this.run(args, place);
		expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: "" });
		return stdout;
	}

	/** Runs a command that must fail, with nothing on stdout and one line on stderr. */
	async refuse(
		args: readonly string[],
		reason: string | RegExp,
		exitCode: number,
		place: Surroundings = {},
	): Promise<string> {
		const ended = await this.run(args, place);
		expect(ended.stderr).toMatch(/^resort: [^\n]*\n$/);
		if (typeof reason === "string") expect(ended.stderr).toContain(reason);
		else expect(ended.stderr).toMatch(reason);
		expect(ended).toMatchObject({ exitCode, stdout: "" });
		return ended.stderr;
	}

	/** Runs `resort doctor`. In `checks`, returns the level and the text of each check, by the check's name. */
	async doctor(args: readonly string[] = [], place: Surroundings = {}) {
		const port = args.includes("--port") || place.env?.PORT ? [] : NO_INSTANCE;
		const ended = await this.run(["doctor", "--all", ...args, ...port], place);
		const checks: Record<string, string> = {};
		for (const line of ended.stdout.trimEnd().split("\n")) {
			const [, level, name, what] = /^(ok|warn|fail) +(\S+(?: \S+)*) {2,}(.+)$/.exec(line) ?? [];
			if (name === undefined) throw new Error(`not a check: ${line}`);
			checks[name] = `${level} ${what}`;
		}
		return { ...ended, checks };
	}

	/** Returns the names of the files in the folder, or in a folder inside it, in alphabetical order. */
	names(name = "."): string[] {
		return readdirSync(this.file(name)).toSorted();
	}
}

/** Prepares an empty folder for each test of the file or the describe block that calls this. */
export function useFreshFolder(): ProgramFolder {
	return useEmptied(new ProgramFolder());
}

/** Like {@link useFreshFolder}, with the given folder. */
export function useEmptied<T extends TemporaryFolder>(folder: T): T {
	beforeEach(() => {
		folder[Symbol.dispose]();
		mkdirSync(folder.path, { mode: 0o700 });
	});
	afterAll(() => folder[Symbol.dispose]());
	return folder;
}

/** Creates a folder for the tests of the file, and deletes it after the last one. */
export function useTemporaryFolder(): ProgramFolder {
	const folder = new ProgramFolder();
	afterAll(() => folder[Symbol.dispose]());
	return folder;
}

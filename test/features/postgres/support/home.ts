import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireProgram } from "../../../support/executable.ts";
import { asUser } from "../../../support/user.ts";

const guard = join(import.meta.dir, "guard.sh");

/**
 * A cluster's folder. A guard process stops the servers and deletes the folder, even if this program is
 * killed.
 */
export class Home implements AsyncDisposable {
	/**
	 * @param folder the path of the folder as the servers see it
	 * @param guard the process that stops the servers and deletes the folder when its stdin ends
	 * @param before a prefix of commands, so that they run with the mounts of the guard
	 */
	private constructor(
		readonly folder: string,
		readonly guard: Bun.Subprocess<"pipe", "pipe", "inherit">,
		private readonly before: readonly string[],
	) {}

	static async open(mounting?: (folder: string) => readonly string[]): Promise<Home> {
		const folder = mkdtempSync(join(tmpdir(), "resort-postgres-"));
		asUser(folder);
		const child = Bun.spawn(
			[...(mounting?.(folder) ?? []), "/bin/sh", guard, folder],
			// Detached, so that a signal to the process group of this program does not end the guard.
			{ stdin: "pipe", stdout: "pipe", stderr: "inherit", detached: true },
		);
		const output = child.stdout.getReader();
		const { value } = await output.read();
		if (value === undefined) throw new Error("the guard did not start");
		// An open pipe would keep this program running.
		await output.cancel();
		const inside = ["nsenter", `--mount=/proc/${child.pid}/ns/mnt`, "--"];
		return new Home(folder, child, mounting === undefined ? [] : inside);
	}

	/** Returns the path of a file for this program, even if the file is on a disk that only the guard mounts. */
	path(name: string): string {
		const path = join(this.folder, name);
		return this.before.length === 0 ? path : `/proc/${this.guard.pid}/root${path}`;
	}

	/** Returns a command line that runs a program as the servers' user and with the servers' mounts. */
	command(program: string, ...args: readonly string[]): string[] {
		return [...this.before, ...asUser(), program, ...args];
	}

	/** Runs a program to its end as the user of the servers. */
	async run(program: string, ...args: readonly string[]): Promise<void> {
		await requireProgram(this.command(program, ...args), { env: serverEnvironment });
	}

	/** Lets this program end without disposing of this object. The guard then deletes the folder. */
	unref(): void {
		this.guard.unref();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.guard.stdin.end();
		await this.guard.exited;
	}
}

/** The complete environment of the servers' programs. They inherit no variable of this program. */
export const serverEnvironment = { PATH: process.env.PATH ?? "", LC_ALL: "C" };

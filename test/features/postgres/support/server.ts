import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { steadyPort } from "../../../support/ports.ts";
import { killWithChildren } from "../../../support/processes.ts";
import { until } from "../../../support/until.ts";
import { type Home, serverEnvironment } from "./home.ts";
import { newestBin } from "./installations.ts";

/** The maximum number of attempts to start. An attempt fails if another program takes the free port first. */
const PORTS_TRIED = 5;

/** A PostgreSQL server whose data is in a subfolder of a {@link Home}. */
export class Server implements AsyncDisposable {
	/** The port on 127.0.0.1, which is the same after each restart. */
	port = 0;
	#process: Bun.Subprocess | undefined;

	constructor(
		private readonly home: Home,
		readonly name: string,
		private readonly password = "",
	) {}

	/** The address of the database `postgres` for the superuser, over TCP. */
	get url(): string {
		const secret = this.password && `:${encodeURIComponent(this.password)}`;
		return `postgres://resort${secret}@127.0.0.1:${this.port}/postgres`;
	}

	/** The id of the server's main process, the parent of all others; 0 before the first start. */
	get pid(): number {
		return this.#process?.pid ?? 0;
	}

	/** Whether the server runs. It may have ended by itself, for example because the disk is full. */
	get isRunning(): boolean {
		const child = this.#process;
		return child?.exitCode === null && child.signalCode === null;
	}

	/** Starts the server. The first start chooses a free port. */
	async start(): Promise<void> {
		for (let tries = 1; ; tries++) {
			const port = this.port || (await steadyPort());
			const problem = await this.#startAt(port);
			if (problem === undefined) {
				this.port = port;
				return;
			}
			const isTaken = problem.includes("Address already in use");
			if (!isTaken || tries === PORTS_TRIED) throw new Error(problem);
		}
	}

	/** Stops the server by a fast shutdown: the server closes all connections and writes all data. */
	async shutDown(): Promise<void> {
		if (!this.isRunning) return;
		this.#process?.kill("SIGINT");
		await this.#process?.exited;
	}

	/** Kills the server and all of its children with SIGKILL. {@link restart} starts it again. */
	async kill(): Promise<void> {
		if (!this.isRunning || this.#process === undefined) return;
		await killWithChildren(this.#process.pid);
		await this.#process.exited;
	}

	/** Starts the server again on the same port. Shuts it down first if it runs. */
	async restart(): Promise<void> {
		await this.shutDown();
		await this.start();
	}

	/** Stops all servers of the {@link Home}, and deletes their files. */
	[Symbol.asyncDispose](): Promise<void> {
		return this.home[Symbol.asyncDispose]();
	}

	/** @returns the log of the server if it did not start; otherwise undefined */
	async #startAt(port: number): Promise<string | undefined> {
		const path = this.home.path(`${this.name}.log`);
		const log = openSync(path, "a");
		const before = readFileSync(path).length;
		const postgres = join(newestBin(), "postgres");
		const data = join(this.home.folder, this.name);
		const child = Bun.spawn(this.home.command(postgres, "-D", data, "-p", `${port}`), {
			env: serverEnvironment,
			stdout: log,
			stderr: log,
			detached: true,
		});
		closeSync(log);
		this.#process = child;
		await until(() => !this.isRunning || this.#isReady(child.pid));
		if (this.isRunning) return undefined;
		return readFileSync(path).toString("utf8", before);
	}

	/** Whether the server accepts connections. Line 1 of postmaster.pid is the process id, line 8 the state. */
	#isReady(pid: number): boolean {
		try {
			const path = this.home.path(`${this.name}/postmaster.pid`);
			const lines = readFileSync(path, "utf8").split("\n");
			const state = lines[7]?.trim() ?? "";
			return Number(lines[0]) === pid && /^(ready|standby)$/.test(state);
		} catch {
			return false;
		}
	}
}

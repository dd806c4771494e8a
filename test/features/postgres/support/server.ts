import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { steadyPort } from "../../../support/ports.ts";
import { killWithChildren } from "../../../support/processes.ts";
import { until } from "../../../support/until.ts";
import { type Home, serverEnvironment } from "./home.ts";
import { newestBin } from "./installations.ts";

/** How many ports are tried: each of them may be taken just before the server listens. */
const PORTS_TRIED = 5;

/** One PostgreSQL server: its data is a folder of a home. */
export class Server implements AsyncDisposable {
	/** Where it listens on 127.0.0.1: the same after each restart. */
	port = 0;
	#process: Bun.Subprocess | undefined;

	constructor(
		private readonly home: Home,
		readonly name: string,
		private readonly password = "",
	) {}

	/** The address of the database `postgres`, as the superuser, over TCP. */
	get url(): string {
		const secret = this.password && `:${encodeURIComponent(this.password)}`;
		return `postgres://resort${secret}@127.0.0.1:${this.port}/postgres`;
	}

	/** The folder of its Unix socket: there nobody is asked for a password. */
	get socketFolder(): string {
		return this.home.folder;
	}

	/** The id of its first process, whose children are all others; 0 before it was started. */
	get pid(): number {
		return this.#process?.pid ?? 0;
	}

	/** Whether it runs; it may have ended by itself, as on a full disk. */
	get isRunning(): boolean {
		const child = this.#process;
		return child?.exitCode === null && child.signalCode === null;
	}

	/** Starts it. A free port is chosen the first time. */
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

	/** Stops it as an administrator does: connections end, all is written (SIGINT, "fast shutdown"). */
	async shutDown(): Promise<void> {
		if (!this.isRunning) return;
		this.#process?.kill("SIGINT");
		await this.#process?.exited;
	}

	/** Kills it and all of its children with SIGKILL; {@link restart} starts it again. */
	async kill(): Promise<void> {
		if (!this.isRunning || this.#process === undefined) return;
		await killWithChildren(this.#process.pid);
		await this.#process.exited;
	}

	/** Starts it again, on the same port; one that runs is shut down before. */
	async restart(): Promise<void> {
		await this.shutDown();
		await this.start();
	}

	/** Ends it for good, with all other servers of its home, and removes their files. */
	stop(): Promise<void> {
		return this.home[Symbol.asyncDispose]();
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.stop();
	}

	/** @returns what it logged when it did not start */
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

	/** The server writes its state into the eighth line of postmaster.pid, whose first is its id. */
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

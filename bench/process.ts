import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryMib } from "../test/support/processes.ts";

/** A running server. */
export interface Running {
	readonly url: string;
	readonly pid: number;
	/** Stops the server with SIGTERM. */
	stop(): Promise<void>;
}

/** The resident memory of a process, in MiB. */
export interface Memory {
	/** The memory that the process has allocated. */
	readonly own: number;
	/** The pages of mapped files, including the database. The system can reclaim them at any time. */
	readonly mapped: number;
}

/** The root of the repository, in which every server is started. */
export const root = join(import.meta.dir, "..");

/** The executable that is measured. */
export const executable = join(root, "dist/resort");

/** The command that serves on any port and logs only warnings. */
export const serve = [executable, "serve", "--port", "0", "--log-level", "warning"] as const;

const running = new Set<Running>();

/**
 * Starts a server and waits for its ready line, a JSON object with its `url` on stdout.
 * @param command the program and its arguments
 * @throws Error if the program ends before it is ready
 */
export async function start(command: readonly string[]): Promise<Running> {
	const child = Bun.spawn([...command], { cwd: root, stdout: "pipe", stderr: "ignore" });
	for await (const chunk of child.stdout) {
		const { url }: { url: string } = JSON.parse(new TextDecoder().decode(chunk));
		const server: Running = {
			url,
			pid: child.pid,
			async stop() {
				running.delete(server);
				child.kill();
				await child.exited;
			},
		};
		running.add(server);
		return server;
	}
	throw new Error(`${command.join(" ")} ended before it was ready`);
}

/** Starts a server from bench/servers on Bun. */
export function startBare(name: string, ...args: string[]): Promise<Running> {
	const path = join(import.meta.dir, "servers", `${name}.ts`);
	return start([process.execPath, path, ...args]);
}

/** Starts the executable without rate limits, because all requests come from one address and few agents. */
export function startResort(database: string): Promise<Running> {
	return start([...serve, "--rate-limits", "off", "--database", database]);
}

/** Stops all servers that still run. */
export async function stopAll(): Promise<void> {
	await Promise.all([...running].map((server) => server.stop()));
}

/**
 * Returns the processor time of the current threads of a process in milliseconds. The first number in the
 * file `schedstat` of a thread is its time in nanoseconds
 * (https://docs.kernel.org/scheduler/sched-stats.html).
 */
export function threadsMs(pid: number): number {
	const threads = `/proc/${pid}/task`;
	return readdirSync(threads)
		.map((thread) => readFileSync(join(threads, thread, "schedstat"), "utf8"))
		.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0);
}

/** Returns the current memory of a process (see proc_pid_status(5)). */
export function memoryOf(pid: number): Memory {
	return { own: memoryMib(pid, "RssAnon"), mapped: memoryMib(pid, "RssFile") };
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryMib } from "../test/support/processes.ts";

/** A server that runs. */
export interface Running {
	readonly url: string;
	readonly pid: number;
	/** Stops the server with SIGTERM. */
	stop(): Promise<void>;
}

/** Memory of a process, in MiB. */
export interface Memory {
	/** What it has allocated. */
	readonly own: number;
	/** Pages of files that are mapped, the database among them; the system takes them back at any time. */
	readonly mapped: number;
}

/** The checkout's folder, in which every server is started. */
export const root = join(import.meta.dir, "..");

/** The executable that is measured. */
export const executable = join(root, "dist/resort");

/** The command that serves on any port and logs only warnings. */
export const serve = [executable, "serve", "--port", "0", "--log-level", "warning"] as const;

const running = new Set<Running>();

/**
 * Starts a server and waits for its ready line, a JSON object with its `url` on stdout.
 * @param command the program and its arguments
 * @throws Error when it ends before it is ready
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

/** Starts a server of bench/servers on Bun. */
export function startBare(name: string, ...args: string[]): Promise<Running> {
	const path = join(import.meta.dir, "servers", `${name}.ts`);
	return start([process.execPath, path, ...args]);
}

/** Starts the executable on a database; limits are off, as the load comes from one address and few agents. */
export function startResort(database: string): Promise<Running> {
	return start([...serve, "--rate-limits", "off", "--database", database]);
}

/** Stops whatever still runs. */
export async function stopAll(): Promise<void> {
	await Promise.all([...running].map((server) => server.stop()));
}

/**
 * Processor time of the threads that a process has at this moment, in milliseconds: the first figure of each
 * one's `schedstat` (https://docs.kernel.org/scheduler/sched-stats.html), which is in nanoseconds.
 */
export function threadsMs(pid: number): number {
	const threads = `/proc/${pid}/task`;
	return readdirSync(threads)
		.map((thread) => readFileSync(join(threads, thread, "schedstat"), "utf8"))
		.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0);
}

/** The memory that a process has at this moment (proc_pid_status(5)). */
export function memoryOf(pid: number): Memory {
	return { own: memoryMib(pid, "RssAnon"), mapped: memoryMib(pid, "RssFile") };
}

import { readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Returns the ids of the children of a process (Linux). */
export function childrenOf(pid: number): number[] {
	return readdirSync("/proc")
		.map(Number)
		.filter((id) => id > 0 && statOf(id)?.parent === pid);
}

/**
 * Returns whether a process runs. A zombie does not: it has ended, but its parent has not waited for it yet.
 */
export function isAlive(pid: number): boolean {
	const state = statOf(pid)?.state;
	return state !== undefined && state !== "Z" && state !== "X";
}

/** Kills a process and its children with SIGKILL, to simulate the loss of a machine. */
export async function killWithChildren(pid: number): Promise<void> {
	process.kill(pid, "SIGSTOP");
	await until(() => statOf(pid)?.state === "T" || !isAlive(pid));
	const all = [pid, ...childrenOf(pid)];
	for (const id of all) signal(id, "SIGKILL");
	await until(() => !all.some(isAlive));
}

/**
 * Returns the processor time of a process in milliseconds. The system counts it in hundredths of a second.
 */
export function processorMs(pid: number): number {
	const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
	const [user, system] = fields.split(" ").slice(11, 13).map(Number);
	return 10 * ((user ?? 0) + (system ?? 0));
}

/** Returns the memory of a process in MiB: resident, anonymous, or of mapped files (proc_pid_status(5)). */
export function memoryMib(pid: number, field: "VmRSS" | "RssAnon" | "RssFile"): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
}

/** Sends a signal to a process that may have ended already. */
function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Parses /proc/PID/stat (proc(5)). The program's name in it may contain any characters, such as brackets. */
function statOf(pid: number): { state: string; parent: number } | undefined {
	try {
		const line = readFileSync(`/proc/${pid}/stat`, "latin1");
		const [state = "", parent] = line.slice(line.lastIndexOf(")") + 2).split(" ");
		return { state, parent: Number(parent) };
	} catch {
		return undefined;
	}
}

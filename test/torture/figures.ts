/** What torture programs measure. */
import { readFileSync } from "node:fs";

/** The memory that a process holds (VmRSS of /proc), in MiB. */
export function memoryMib(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/**
 * The value below which so much of all lies.
 * @param share from 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
	const sorted = Float64Array.from(values).sort();
	return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

/** A count as people read it: `1,000,000`. */
export function counted(count: number): string {
	return count.toLocaleString("en-US");
}

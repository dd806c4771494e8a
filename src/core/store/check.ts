import { messageOf } from "../lib/error-reason.ts";
import { formatBytes } from "./space.ts";

/** The result of a check: no problem, a problem, or a fault that prevents the use of the resort. */
export interface Finding {
	readonly level: "ok" | "warn" | "fail";
	readonly what: string;
}

/** A finding with the name of its check. */
export interface CheckResult extends Finding {
	readonly name: string;
}

/** The checks of a subject, by name. A check returns null if there is nothing to check. */
export type Checks<Subject> = Readonly<
	Record<string, (subject: Subject) => Finding | null | Promise<Finding | null>>
>;

/** Creates a finding that reports no problem. */
export const ok = (what: string): Finding => ({ level: "ok", what });

/** Creates a finding that reports a problem which does not prevent the use of the resort. */
export const warn = (what: string): Finding => ({ level: "warn", what });

/** Creates a finding that reports a fault. */
export const fail = (what: string): Finding => ({ level: "fail", what });

/** Creates a finding that reports no problem if `isOk`, else a warning that ends with `advice`. */
export const warnUnless = (isOk: boolean, what: string, advice: string): Finding =>
	isOk ? ok(what) : warn(`${what}: ${advice}`);

/** Runs all checks concurrently. If a check throws, its finding is a fault. */
export async function runChecks<Subject>(checks: Checks<Subject>, subject: Subject): Promise<CheckResult[]> {
	const running = Object.entries(checks).map(async ([name, check]) => {
		const finding = await Promise.try(check, subject).catch((error) => fail(messageOf(error)));
		return finding === null ? [] : [{ name, ...finding }];
	});
	return (await Promise.all(running)).flat();
}

/**
 * Compares the size of a database with `--max-database`.
 * @param database the location, without a password
 * @param maxBytes 0 means unlimited
 */
export function checkSize(database: string, usedBytes: number, maxBytes: number): Finding {
	const used = `${database}, ${formatBytes(usedBytes)}`;
	if (maxBytes === 0) return ok(`${used}, no --max-database`);
	const what = `${used} of ${formatBytes(maxBytes)}`;
	return warnUnless(usedBytes < maxBytes, what, "the resort is full, calls that add rows fail");
}

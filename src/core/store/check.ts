import { messageOf } from "../lib/error-reason.ts";
import { formatBytes } from "./space.ts";

/** The result of a check: nothing is wrong, there is a problem, or a fault prevents the use of the resort. */
export interface Finding {
	readonly level: "ok" | "warn" | "fail";
	readonly what: string;
}

/** A finding with the name of its check. */
export interface CheckResult extends Finding {
	readonly name: string;
}

/** Checks by name. A check returns null if there is nothing to check. */
export type Checks<Subject> = Readonly<
	Record<string, (subject: Subject) => Finding | null | Promise<Finding | null>>
>;

/** Creates the finding that nothing is wrong. */
export const ok = (what: string): Finding => ({ level: "ok", what });

/** Creates the finding of a problem that the operator should know. */
export const warn = (what: string): Finding => ({ level: "warn", what });

/** Creates the finding of a fault. */
export const fail = (what: string): Finding => ({ level: "fail", what });

/** Creates the finding that nothing is wrong, or else a warning that ends with `advice`. */
export const warnUnless = (isOk: boolean, what: string, advice: string): Finding =>
	isOk ? ok(what) : warn(`${what}: ${advice}`);

/** Runs all checks at the same time. A check that throws has failed. */
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

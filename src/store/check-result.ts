/** The result of one check of a database or a setting. */
export interface CheckResult {
	readonly level: "ok" | "warn" | "fail";
	/** The name of the check. */
	readonly name: string;
	readonly what: string;
}

/** The result of a check without a fault. */
export function ok(name: string, what: string): CheckResult {
	return { level: "ok", name, what };
}

/** The result of a check with a problem that the host should know. */
export function warn(name: string, what: string): CheckResult {
	return { level: "warn", name, what };
}

/** The result of a check with a fault that prevents the use of the database. */
export function fail(name: string, what: string): CheckResult {
	return { level: "fail", name, what };
}

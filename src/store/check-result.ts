/** What a check of a database or of a setting found. */
export interface CheckResult {
	readonly level: "ok" | "warn" | "fail";
	/** The name of the check. */
	readonly name: string;
	readonly what: string;
}

/** Makes a finding without a fault. */
export function ok(name: string, what: string): CheckResult {
	return { level: "ok", name, what };
}

/** Makes a finding that a host should look into. */
export function warn(name: string, what: string): CheckResult {
	return { level: "warn", name, what };
}

/** Makes a finding that keeps the database from being used. */
export function fail(name: string, what: string): CheckResult {
	return { level: "fail", name, what };
}

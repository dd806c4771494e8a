/** What a check of a database or of a setting found. */
export interface Finding {
	readonly level: "ok" | "warn" | "fail";
	/** The name of the check. */
	readonly name: string;
	readonly what: string;
}

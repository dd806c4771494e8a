/**
 * A TOML value, written as for a flag.
 * @returns undefined when no flag can have it: a table, a date, or a list of anything but texts without a comma
 */
export function textOf(value: unknown): string | undefined {
	switch (typeof value) {
		case "string":
			return value;
		case "number":
			return String(value);
		case "boolean":
			return value ? "on" : "off";
	}
	return Array.isArray(value) && value.every(isItem)
		? value.join(",")
		: undefined;
}

function isItem(value: unknown): boolean {
	return typeof value === "string" && value !== "" && !value.includes(",");
}

/**
 * Whether a value of a TOML file is of the kind of its setting: a text always is, `true` only for a switch,
 * a number only for a number, a list only for a list.
 * @param read what the setting reads from the value's text
 */
export function isOfKind(value: unknown, read: unknown): boolean {
	return typeof value === "string" || typeof value === typeof read;
}

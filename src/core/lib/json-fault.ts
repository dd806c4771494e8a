/** Patterns of JSON text (RFC 8259). */
const STRING = '"(?:[^"\\\\\\x00-\\x1f]|\\\\(?:["\\\\/bfnrt]|u[\\dA-Fa-f]{4}))*"';
const SCALAR = `${STRING}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`;

/** Returns where a text stops to be valid JSON: `line 2, column 5` is the last character that is valid. */
export function jsonFault(text: string): string {
	let at = 0;
	const skip = (pattern: string): boolean => {
		const token = new RegExp(`[ \\t\\r\\n]*(?:${pattern})`, "y");
		token.lastIndex = at;
		if (!token.test(text)) return false;
		at = token.lastIndex;
		return true;
	};
	const skipItems = (skipItem: () => boolean, end: string): boolean => {
		if (skip(end)) return true;
		do {
			if (!skipItem()) return false;
		} while (skip(","));
		return skip(end);
	};
	const skipValue = (): boolean =>
		skip(SCALAR) ||
		(skip("\\[") && skipItems(skipValue, "]")) ||
		(skip("{") && skipItems(() => skip(STRING) && skip(":") && skipValue(), "}"));
	try {
		skipValue();
	} catch {
		// The brackets are nested too deeply: `at` is the last one that was read.
	}
	const lines = text.slice(0, at).split("\n");
	return `line ${lines.length}, column ${lines.at(-1)?.length}`;
}

/** How many characters of a field are read: more than four times as many as a browser sends. */
const MAX_LENGTH = 1024;

/**
 * Returns the weight of a value in a field such as `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2): 0 to 1, and 0 if the
 * field does not contain it.
 * @param names the value and its wildcards in lower case, the most specific first; the first one in the field decides
 */
export function weightOf(field: string, names: readonly string[]): number {
	const parts = field.slice(0, MAX_LENGTH).toLowerCase().split(",");
	// The field was truncated, perhaps in the middle of its last part.
	if (field.length > MAX_LENGTH) parts.pop();
	for (const name of names) {
		for (const part of parts) {
			const [named = "", ...parameters] = part.split(";");
			if (named.trim() === name) return readWeight(parameters);
		}
	}
	return 0;
}

function readWeight(parameters: readonly string[]): number {
	for (const parameter of parameters) {
		const [, weight] = /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter) ?? [];
		if (weight !== undefined) return Math.min(Number(weight) || 0, 1);
	}
	return 1;
}

/** The maximum number of characters read from a header field: over four times what browsers send. */
const MAX_LENGTH = 1024;

/**
 * Returns the weight of a value in a header field such as `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2),
 * from 0 to 1; 0 if the field does not contain the value.
 * @param names the value and the wildcards that match it, in lower case, for example `gzip` and `*`; the
 * first one that the field contains counts
 */
export function weightOf(field: string, names: readonly string[]): number {
	const parts = field.slice(0, MAX_LENGTH).toLowerCase().split(",");
	// Drops the last part, because the limit may have cut it.
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

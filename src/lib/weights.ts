/** How much of a field is read, in characters: no browser sends a quarter of it. */
const MAX_LENGTH = 1024;

/**
 * The weight that a field such as `Accept` or `Accept-Encoding` gives to something (RFC 9110, 12.4.2).
 * @param field its first 1,024 characters count
 * @param names in lower case, the most specific first: the first one that the field holds decides
 * @returns 0 to 1; 0 when the field holds none of them
 */
export function weightOf(field: string, names: readonly string[]): number {
	const parts = field.slice(0, MAX_LENGTH).toLowerCase().split(",");
	// The last one may be cut in its middle.
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

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
	const values = parts.map((part) => part.split(";"));
	for (const name of names) {
		const [named, ...parameters] = values.find(([value]) => value?.trim() === name) ?? [];
		if (named === undefined) continue;
		const [weight = "1"] = parameters.flatMap((one) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(one)?.[1] ?? []);
		return Math.min(Number(weight) || 0, 1);
	}
	return 0;
}

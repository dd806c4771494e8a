/**
 * The text of a statement as PostgreSQL takes it: numbered parameters, `default` where Drizzle writes `null` for a
 * column that an insert leaves out, and no table before the column of a conflict.
 */
export function toPostgres(text: string): string {
	let count = 0;
	return text
		.replace(/("[^"]*"|'[^']*')|\?/g, (found, quoted) =>
			quoted === undefined ? `$${++count}` : found,
		)
		.replace(/(?<=\bon conflict \()"\w+"\./g, "")
		.replace(/(?<=\bvalues \()[^)]*(?=\))/g, (values) =>
			values.replace(/\bnull\b/g, "default"),
		);
}

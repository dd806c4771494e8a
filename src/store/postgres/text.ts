/**
 * The text of a statement as PostgreSQL takes it: numbered parameters, and `default` where Drizzle writes `null` for a
 * column that an insert leaves out.
 */
export function toPostgres(text: string): string {
	let count = 0;
	return text
		.replace(/("[^"]*"|'[^']*')|\?/g, (found, quoted) =>
			quoted === undefined ? `$${++count}` : found,
		)
		.replace(/(?<=\bvalues \()[^)]*(?=\))/g, (values) =>
			values.replace(/\bnull\b/g, "default"),
		);
}

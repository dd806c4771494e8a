import type { Database, SQLQueryBindings } from "bun:sqlite";

/** A statement whose rows and parameters are known. */
type Prepared<Row, Parameters extends SQLQueryBindings[]> = ReturnType<
	typeof Database.prototype.prepare<Row, Parameters>
>;

/**
 * A statement that is written by hand and prepared once for each database, at its first use. The query
 * builder is for all others: this is for the few that are asked for so often, or so soon after the start,
 * that building and mapping would be most of their time.
 * @param text SQL whose columns are named as the fields of `Row`
 */
export function statement<Row, Parameters extends SQLQueryBindings[]>(
	text: string,
): (store: { readonly sqlite: Database }) => Prepared<Row, Parameters> {
	const prepared = new WeakMap<Database, Prepared<Row, Parameters>>();
	return ({ sqlite }) => {
		let known = prepared.get(sqlite);
		if (known === undefined) {
			known = sqlite.prepare<Row, Parameters>(text);
			prepared.set(sqlite, known);
		}
		return known;
	};
}

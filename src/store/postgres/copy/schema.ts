import type { Connection } from "../connection.ts";

const FOREIGN_KEYS = `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
	from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by oid`;

const INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
	from pg_index join pg_class on pg_class.oid = indrelid
	where relnamespace = current_schema()::regnamespace
		and not exists (select 1 from pg_constraint where conindid = indexrelid) order by indexrelid`;

/**
 * Takes away the references and indexes that no key needs, inside a transaction: checked and made over all rows at
 * once, they take half of the server's time.
 * @returns the statements that make them again
 */
export async function setAside(connection: Connection): Promise<string> {
	const keys = await connection.query(FOREIGN_KEYS, []);
	const indexes = await connection.query(INDEXES, []);
	await connection.script(
		[
			...keys.map(
				({ table, name }) => `alter table ${table} drop constraint ${name}`,
			),
			...indexes.map(({ name }) => `drop index ${name}`),
		].join(";\n"),
	);
	return [
		...indexes.map(({ definition }) => definition),
		...keys.map(
			({ table, name, definition }) =>
				`alter table ${table} add constraint ${name} ${definition}`,
		),
	].join(";\n");
}

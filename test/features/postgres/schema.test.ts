import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { testPostgres } from "../../support/requirements.ts";
import { openDatabase } from "./support/shared.ts";

/**
 * The kinds of compared objects, each with a query per engine that returns a line for each object. The queries
 * omit what only PostgreSQL has: the tables for several instances, and the index for the public board.
 */
const kinds = {
	columns: {
		sqlite: `select t.name || '.' || c.name || iif(c."notnull", ' not null', '') || iif(c.hidden, ' generated', '')
			from tables t, pragma_table_xinfo(t.name) c`,
		postgres: `select t.relname || '.' || attname || case when attnotnull then ' not null' else '' end
				|| case when attgenerated = '' then '' else ' generated' end
			from pg_attribute join pg_class t on t.oid = attrelid where t.relkind = 'r' and attnum > 0 and COMMON`,
	},
	"primary keys": {
		sqlite: `select t.name || ': ' || group_concat(c.name, ',' order by c.pk)
			from tables t, pragma_table_info(t.name) c where c.pk group by t.name`,
		postgres: `select t.relname || ': ' || NAMES(conrelid, conkey)
			from pg_constraint join pg_class t on t.oid = conrelid where contype = 'p' and COMMON`,
	},
	"unique constraints": {
		sqlite: `select i.name || ': ' || group_concat(c.name, ',' order by c.seqno)
			from tables t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
			where i."unique" and i.origin = 'c' group by i.name`,
		postgres: `select i.relname || ': ' || NAMES(indrelid, indkey::smallint[])
			from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
			where indisunique and not indisprimary and COMMON`,
	},
	references: {
		sqlite: `select t.name || '.' || f."from" || ' to ' || f."table" || '.' || f."to"
			from tables t, pragma_foreign_key_list(t.name) f`,
		postgres: `select t.relname || '.' || NAMES(conrelid, conkey) || ' to ' || other.relname || '.' || NAMES(confrelid, confkey)
			from pg_constraint join pg_class t on t.oid = conrelid join pg_class other on other.oid = confrelid
			where contype = 'f' and COMMON`,
	},
	checks: {
		sqlite: "select value from checks",
		postgres:
			"select conname from pg_constraint join pg_class t on t.oid = conrelid where contype = 'c' and COMMON",
	},
	indexes: {
		sqlite: "select name || ' on ' || tbl_name from sqlite_schema where type = 'index' and sql is not null",
		postgres: `select i.relname || ' on ' || t.relname
			from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
			where not indisprimary and i.relname <> 'postcards_public' and COMMON`,
	},
};

const macros: [name: RegExp, sql: string][] = [
	[/\bCOMMON\b/g, "t.relnamespace = 'public'::regnamespace and t.relname not in ('heads', 'limits')"],
	[
		/NAMES\((\w+), ([\w:[\]]+)\)/g,
		`(select string_agg(attname, ',' order by place) from unnest($2) with ordinality as of (number, place)
			join pg_attribute on attrelid = $1 and attnum = number)`,
	],
];

/** Creates the schema in SQLite, and adds the view `tables` and the table `checks` for the queries. */
function openSqlite(): Database {
	const sqlite = new Database(":memory:");
	sqlite.run(migrations.flat().join(";\n"));
	sqlite.run(`create temp view tables as select name, sql from sqlite_schema
		where type = 'table' and name not like 'sqlite%'`);
	sqlite.run("create temp table checks (value text)");
	for (const { sql } of sqlite.query<{ sql: string }, []>("select sql from tables").all()) {
		for (const [, name = ""] of sql.matchAll(/CONSTRAINT "(\w+)" CHECK/g)) {
			sqlite.run("insert into checks values (?)", [name]);
		}
	}
	return sqlite;
}

testPostgres.test(
	"the schemas of SQLite and PostgreSQL have the same columns, keys, constraints and indexes",
	async () => {
		using sqlite = openSqlite();
		await using connection = await openDatabase();
		for (const [kind, queries] of Object.entries(kinds)) {
			const expected = sqlite.query(queries.sqlite).values().map(String);
			expect(expected.length, kind).toBeGreaterThan(1);
			const text = macros.reduce((sql, [name, meaning]) => sql.replaceAll(name, meaning), queries.postgres);
			const found = (await connection.query(text)).map((row) => String(Object.values(row)[0]));
			expect(found.sort(), kind).toEqual(expected.sort());
		}
	},
);

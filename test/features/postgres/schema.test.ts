import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { openDatabase } from "./support/shared.ts";

/** Objects that only PostgreSQL has: tables for several instances, and an index for the public board. */
const ownOfPostgres: Partial<Record<Kind, string[]>> = {
	tables: ["heads", "limits"],
	indexes: ["postcards_public on postcards"],
};

/** The kinds of compared objects, each with a query per engine that returns one line for each object. */
const kinds = {
	tables: {
		sqlite: "select t.name from tables t",
		postgres: "select t.relname from pg_class t where t.relkind = 'r' and OWN",
	},
	columns: {
		sqlite: `select t.name || '.' || c.name || iif(c."notnull", ' not null', '') || iif(c.hidden, ' generated', '')
			from tables t, pragma_table_xinfo(t.name) c`,
		postgres: `select t.relname || '.' || attname || case when attnotnull then ' not null' else '' end
				|| case when attgenerated = '' then '' else ' generated' end
			from pg_attribute join pg_class t on t.oid = attrelid where t.relkind = 'r' and attnum > 0 and OWN and SHARED`,
	},
	"primary keys": {
		sqlite: `select t.name || ': ' || group_concat(c.name, ',' order by c.pk)
			from tables t, pragma_table_info(t.name) c where c.pk group by t.name`,
		postgres: `select t.relname || ': ' || NAMES(conrelid, conkey)
			from pg_constraint join pg_class t on t.oid = conrelid where contype = 'p' and OWN and SHARED`,
	},
	"unique constraints": {
		sqlite: `select i.name || ': ' || group_concat(c.name, ',' order by c.seqno)
			from tables t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
			where i."unique" and i.origin = 'c' group by i.name`,
		postgres: `select i.relname || ': ' || NAMES(indrelid, indkey::smallint[])
			from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
			where indisunique and not indisprimary and OWN and SHARED`,
	},
	references: {
		sqlite: `select t.name || '.' || f."from" || ' to ' || f."table" || '.' || f."to"
			from tables t, pragma_foreign_key_list(t.name) f`,
		postgres: `select t.relname || '.' || NAMES(conrelid, conkey) || ' to ' || other.relname || '.' || NAMES(confrelid, confkey)
			from pg_constraint join pg_class t on t.oid = conrelid join pg_class other on other.oid = confrelid
			where contype = 'f' and OWN`,
	},
	checks: {
		sqlite: "select value from checks",
		postgres:
			"select conname from pg_constraint join pg_class t on t.oid = conrelid where contype = 'c' and OWN and SHARED",
	},
	indexes: {
		sqlite: "select name || ' on ' || tbl_name from sqlite_schema where type = 'index' and sql is not null",
		postgres: `select i.relname || ' on ' || t.relname
			from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
			where not indisprimary and OWN and SHARED`,
	},
};
type Kind = keyof typeof kinds;

const macros: [name: RegExp, sql: string][] = [
	[/\bOWN\b/g, "t.relnamespace = 'public'::regnamespace"],
	[/\bSHARED\b/g, "t.relname not in ('heads', 'limits')"],
	[
		/NAMES\((\w+), ([\w:[\]]+)\)/g,
		`(select string_agg(attname, ',' order by place) from unnest($2) with ordinality as of (number, place)
			join pg_attribute on attrelid = $1 and attnum = number)`,
	],
];

function inSqlite(kind: Kind): string[] {
	using sqlite = new Database(":memory:");
	sqlite.run(migrations.flat().join(";\n"));
	sqlite.run(`create temp view tables as select name, sql from sqlite_schema
		where type = 'table' and name not like 'sqlite%'`);
	const { sql } = sqlite.query<{ sql: string }, []>("select group_concat(sql) as sql from tables").get() ?? {
		sql: "",
	};
	const checks = [...sql.matchAll(/CONSTRAINT "(\w+)" CHECK/g)];
	sqlite.run("create temp table checks as select value from json_each(?)", [
		JSON.stringify(checks.map(([, name]) => name)),
	]);
	return sqlite.query<unknown[], []>(kinds[kind].sqlite).values().map(String);
}

async function inPostgres(kind: Kind): Promise<string[]> {
	await using connection = await openDatabase();
	const text = macros.reduce((sql, [name, meaning]) => sql.replaceAll(name, meaning), kinds[kind].postgres);
	const rows = await connection.query(text);
	return rows.map((row) => String(Object.values(row)[0]));
}

describeOnPostgres("the schemas of SQLite and PostgreSQL have the same", () => {
	test.each(Object.keys(kinds) as Kind[])("%s", async (kind) => {
		const expected = inSqlite(kind);
		expect(expected.length).toBeGreaterThan(1);
		expected.push(...(ownOfPostgres[kind] ?? []));
		expect((await inPostgres(kind)).sort()).toEqual(expected.sort());
	});
});

import { Database } from "bun:sqlite";
import { StartError } from "../../lib/start-error.ts";
import { readSchema } from "./build-schema.ts" with { type: "macro" };
import { schemaVersion } from "./integrity-checks.ts";
import { type SchemaRow, schemaText } from "./schema-text.ts";
import { migrate, migrations } from "./sqlite-migrations.ts";

/** The newest schema, as the SQLite of the build writes it. */
const newest: string = readSchema();

/** The most differences that one message lists. */
const MAX_LISTED = 3;

/**
 * Compares the tables, indexes, triggers and views of a database with those that this program's migrations create for
 * the version of the file.
 * @param sqlite an open database of a version that this program knows
 * @returns the differences on one line; null if there are none
 * @throws SQLiteError if the file is damaged
 */
export function schemaFault(sqlite: Database): string | null {
	const version = schemaVersion(sqlite);
	if (version < 0) return `no version of resort has schema ${version}`;
	const actual = schemaText(sqlite);
	if (version === migrations.length && actual === newest) return null;
	const differences = compare(
		JSON.parse(actual),
		JSON.parse(schemaAt(version)),
	);
	if (differences.length === 0) return null;
	const more = differences.length - MAX_LISTED;
	return [
		...differences.slice(0, MAX_LISTED),
		...(more > 0 ? [`and ${more} more`] : []),
	].join(", ");
}

/** @throws StartError if the schema differs from what this program's migrations create */
export function requireOwnSchema(sqlite: Database, file: string): void {
	const fault = schemaFault(sqlite);
	if (fault === null) return;
	throw new StartError(
		`database ${file} is not as resort makes it: ${fault}`,
		1,
	);
}

/**
 * Migrates an empty database, because the running SQLite may write the definition of an altered table differently from
 * that of the build.
 */
function schemaAt(version: number): string {
	const sqlite = new Database(":memory:");
	try {
		migrate(sqlite, null, migrations.slice(0, version));
		return schemaText(sqlite);
	} finally {
		sqlite.close();
	}
}

function compare(
	actual: readonly SchemaRow[],
	expected: readonly SchemaRow[],
): string[] {
	const keyOf = ([type, name]: SchemaRow) => JSON.stringify([type, name]);
	const describe = ([type, name]: SchemaRow) =>
		`${type} ${JSON.stringify(name)}`;
	const missing = new Map(expected.map((row) => [keyOf(row), row]));
	const differences: string[] = [];
	for (const row of actual) {
		const own = missing.get(keyOf(row));
		// A second row of the same name is as foreign as one of an unknown name.
		if (own === undefined) differences.push(`${describe(row)} is foreign`);
		else if (own[2] !== row[2] || own[3] !== row[3]) {
			differences.push(`${describe(row)} is changed`);
		}
		missing.delete(keyOf(row));
	}
	for (const row of missing.values()) {
		differences.push(`${describe(row)} is missing`);
	}
	return differences;
}

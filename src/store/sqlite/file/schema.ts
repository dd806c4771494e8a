import { Database } from "bun:sqlite";
import { StartError } from "../../../lib/start-error.ts";
import { schemaVersion } from "./checks.ts";
import { migrate, migrations } from "./migrate.ts";
import { readSchema } from "./read-schema.ts" with { type: "macro" };
import { type SchemaRow, schemaText } from "./schema-text.ts";

/** The schema of the newest version, as it was when the program was built. */
const newest: string = readSchema();

/** The most differences that one line tells. */
const MAX_TOLD = 3;

/**
 * Compares the tables, indexes, triggers and views of a database with those that this program's migrations make,
 * up to the version that the file itself tells.
 * @param sqlite an open database of a version that this program knows
 * @returns how it differs, on one line; null when it does not
 * @throws SQLiteError when the file is damaged
 */
export function schemaFault(sqlite: Database): string | null {
	const version = schemaVersion(sqlite);
	if (version < 0) return `no version of resort has schema ${version}`;
	const found = schemaText(sqlite);
	if (version === migrations.length && found === newest) return null;
	const differences = compare(JSON.parse(found), JSON.parse(textOf(version)));
	if (differences.length === 0) return null;
	const more = differences.length - MAX_TOLD;
	return [
		...differences.slice(0, MAX_TOLD),
		...(more > 0 ? [`and ${more} more`] : []),
	].join(", ");
}

/** @throws StartError when a database is not as this program's migrations make it */
export function requireOwnSchema(sqlite: Database, file: string): void {
	const fault = schemaFault(sqlite);
	if (fault !== null) throw foreignSchema(file, fault);
}

/** Why a database whose schema differs is refused. */
function foreignSchema(file: string, fault: string): StartError {
	return new StartError(
		`database ${file} is not as resort makes it: ${fault}`,
		1,
	);
}

/**
 * What the first `version` migrations make with the SQLite that runs now: it may write the definition of an altered
 * table differently from the version that the program was built with.
 */
function textOf(version: number): string {
	const sqlite = new Database(":memory:");
	try {
		migrate(sqlite, null, migrations.slice(0, version));
		return schemaText(sqlite);
	} finally {
		sqlite.close();
	}
}

function compare(
	found: readonly SchemaRow[],
	expected: readonly SchemaRow[],
): string[] {
	const missing = new Map(expected.map((row) => [keyOf(row), row]));
	const differences: string[] = [];
	for (const row of found) {
		const own = missing.get(keyOf(row));
		// A second row of the same name is as foreign as one of an unknown name.
		if (own === undefined) differences.push(`${describe(row)} is foreign`);
		else if (own[2] !== row[2] || own[3] !== row[3]) {
			differences.push(`${describe(row)} is changed`);
		}
		missing.delete(keyOf(row));
	}
	const gone = [...missing.values()].map(
		(row) => `${describe(row)} is missing`,
	);
	return [...differences, ...gone];
}

function keyOf([type, name]: SchemaRow): string {
	return JSON.stringify([type, name]);
}

function describe([type, name]: SchemaRow): string {
	return `${type} ${JSON.stringify(name)}`;
}

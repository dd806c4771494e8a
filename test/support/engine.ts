/**
 * The address of the PostgreSQL server that the tests use instead of SQLite; undefined if they use SQLite.
 */
export const testServer: string | undefined = process.env.RESORT_TEST_POSTGRES;

/** Whether the resorts of tests use PostgreSQL. Tests of SQLite are skipped in this case. */
export const onPostgres = testServer !== undefined;

/** Returns an SQL literal for bytes, in the syntax of the engine that the tests use. */
export function bytes(value: Uint8Array): string {
	return onPostgres ? `'\\x${value.toHex()}'::bytea` : `x'${value.toHex()}'`;
}

/** Returns the beginning of a query that defines a table `n` with the numbers `i` from 1 to `last`. */
export function numbersTo(last: number): string {
	return `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
}

/** Returns an SQL expression for a UUID that contains `number`, which is an SQL expression too. */
export function uuidOf(number: string): string {
	return onPostgres
		? `(lpad(to_hex(${number}), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))`
		: `printf('%08x-0000-7000-8000-%012x', ${number}, ${number})`;
}

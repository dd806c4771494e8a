/** The address of a PostgreSQL server on which the tests run in place of SQLite; undefined for none. */
export const testServer: string | undefined = process.env.RESORT_TEST_POSTGRES;

/** Whether resorts of tests work on PostgreSQL: what is about SQLite is skipped then. */
export const onPostgres = testServer !== undefined;

/** Bytes as both engines read them in a statement of a test. */
export function bytes(value: Uint8Array): string {
	return onPostgres ? `'\\x${value.toHex()}'::bytea` : `x'${value.toHex()}'`;
}

/** The beginning of a query: the table `n` of the numbers `i` from 1. */
export function numbersTo(last: number): string {
	return `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
}

/** A UUID that is made of a number, in a query. */
export function uuidOf(number: string): string {
	return onPostgres
		? `(lpad(to_hex(${number}), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))`
		: `printf('%08x-0000-7000-8000-%012x', ${number}, ${number})`;
}

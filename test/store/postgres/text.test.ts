import { describe, expect, test } from "bun:test";
import { toPostgres } from "../../../src/store/postgres/statements.ts";

describe("toPostgres", () => {
	test.each([
		["numbers parameters", "a = ? and b in (?, ?)", "a = $1 and b in ($2, $3)"],
		[
			"leaves strings and names as they are",
			`select '?', "?", 'it''s ?', "a""?" where c = ?`,
			`select '?', "?", 'it''s ?', "a""?" where c = $1`,
		],
		[
			"leaves the number of a new row to the database, and no other column",
			`insert into "a" ("b", "c", "d") values (null, ?, null) returning "b"`,
			`insert into "a" ("b", "c", "d") values (default, $1, null) returning "b"`,
		],
		[
			"leaves null in conditions",
			"select null, (null) where a is null",
			"select null, (null) where a is null",
		],
	])("%s", (_, text, expected) => {
		expect(toPostgres(text)).toBe(expected);
	});
});

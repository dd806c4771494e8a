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
			"gives columns that are left out their default",
			`insert into "a" ("b", "c", "d") values (null, ?, null) returning "b"`,
			`insert into "a" ("b", "c", "d") values (default, $1, default) returning "b"`,
		],
		[
			"does so in each row, and nowhere else",
			`insert into "a" values (null, 'null'), (null, coalesce(null, ?)) on conflict do update set "b" = coalesce(?, null) where "c" is null`,
			`insert into "a" values (default, 'null'), (default, coalesce(null, $1)) on conflict do update set "b" = coalesce($2, null) where "c" is null`,
		],
		[
			"leaves null in expressions of a row",
			`insert into "a" values (? is null, null)`,
			`insert into "a" values ($1 is null, default)`,
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

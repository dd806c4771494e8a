import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
	leaderboards,
	lists,
} from "../../../src/resort/guest-made-experiences/queries.ts";
import { toPostgres } from "../../../src/store/postgres/statements.ts";
import { migrations } from "../../../src/store/sqlite/sqlite-migrations.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { asked } from "./asked.ts";
import { openDatabase } from "./database.ts";

const COUNT = 60;

/** Experiences of three agents in two categories; ratings, votes and times are the same for many, or missing. */
const experiences = Array.from(
	{ length: COUNT },
	(_, at) =>
		`('e${at}', 'a${at % 3}', 'n', 'c', '${at % 2 === 0 ? "é" : "Z"}', 'd', 'l', 1, 1, ${at % 4}, ${at % 9 === 0 ? 1 : "null"}, ${(at % 5) * (1 + (at % 3))}, ${at % 5}, ${at % 2})`,
);
const fill = `insert into agents (id, name, relaxation_style, comfort_objects, interests, created_at)
		values ('a0', 'A', '[]', '[]', '[]', 1), ('a1', 'A', '[]', '[]', '[]', 1), ('a2', 'A', '[]', '[]', '[]', 1);
	insert into experiences (id, creator_id, name, category, category_key, description, location, duration_minutes,
		relaxation_points, created_at, archived_at, rating_sum, total_votes, total_completions) values ${experiences.join()}`;

const values = { category: "Z", creatorId: "a1", limit: COUNT, offset: 2 };

const orders = [
	...Object.entries(lists).flatMap(([order, list]) =>
		Object.entries(list).map(
			([which, { rows }]) => [`${which} by ${order}`, rows] as const,
		),
	),
	...Object.entries(leaderboards).map(
		([which, { rows }]) => [`leaderboard of ${which}`, rows] as const,
	),
];

describeOnPostgres(
	"both engines give the same experiences in the same order",
	() => {
		test.each(orders)("%s", async (_, rows) => {
			const { text, parameters } = asked(rows, values);
			using sqlite = new Database(":memory:");
			sqlite.run(migrations.flat().join(";\n"));
			sqlite.run(fill);
			const expected = sqlite
				.query<{ seq: number }, (string | number)[]>(text)
				.all(...parameters.map((one) => one as string | number));
			expect(expected.length).toBeGreaterThan(2);
			await using database = await openDatabase();
			await using connection = database.connect();
			await connection.query(fill);
			const found = await connection.sql.unsafe(
				toPostgres(text),
				parameters.map(String),
			);
			expect(found.map(({ seq }: { seq: bigint }) => Number(seq))).toEqual(
				expected.map(({ seq }) => seq),
			);
		});
	},
);

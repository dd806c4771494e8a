import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "bun";
import { TemporaryFolder } from "../../support/folder.ts";
import { testSqlite } from "../../support/requirements.ts";
import { TestResort } from "../../support/resort.ts";
import { FILLING, filesWith, MARK, marked } from "./traces.ts";

/**
 * The places of an agent's texts in old schemas: a table, its columns with texts, and its column with the id
 * of the agent.
 */
const texts = [
	["agents", ["name", "bio", "room_preference"], "id"],
	["stays", ["mood_on_arrival", "mood_on_departure"], "agent_id"],
	["activity_log", ["notes"], "agent_id"],
	["postcards", ["message", "mood", "location"], "sender_id"],
	["experience_votes", ["review"], "agent_id"],
	["experiences", ["name", "category", "description", "location"], "creator_id"],
] as const;

/** The schema of the first version that overwrites deleted rows. */
const OVERWRITING = 9;

const upgrade = join(import.meta.dir, "../../upgrade");

const newest = readdirSync(upgrade).filter((name) => /^\d+\.sqlite\.gz$/.test(name)).length;

/** The oldest schema, the last one whose versions did not overwrite deleted rows, and the newest. */
const schemas = [1, OVERWRITING - 1, newest];

describe.skipIf(testSqlite.isMissing)(`\`resort admin erase\`${testSqlite.note}`, () => {
	test.each(schemas)(
		"leaves no byte of the agent's texts in a database that was upgraded from schema %d",
		async (schema) => {
			using folder = new TemporaryFolder();
			const file = join(folder.path, "resort.sqlite");
			const packed = readFileSync(join(upgrade, `${schema}.sqlite.gz`));
			await Bun.write(file, gunzipSync(packed));
			const id = markOne(file, schema);
			expect(filesWith(file, MARK)).toEqual([file]);
			await using context = new TestResort({ database: file });
			expect(filesWith(file, MARK)).not.toEqual([]);
			await context.byHost(`/agents/${id}/erase`);
			for (const text of [MARK, FILLING]) expect(filesWith(file, text), text).toEqual([]);
		},
	);
});

/**
 * Writes each text of an agent twice into a database with an old schema. The second text replaces the longer
 * first one, which remains only in freed parts of the file.
 * @returns the id of the agent
 */
function markOne(file: string, schema: number): string {
	const sqlite = new Database(file);
	sqlite.run(`PRAGMA secure_delete = ${schema >= OVERWRITING ? "ON" : "OFF"}`);
	const has = (table: string) =>
		sqlite.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null;
	const { id } = sqlite
		.query<{ id: string }, []>(
			has("experiences")
				? "SELECT creator_id AS id FROM experiences LIMIT 1"
				: "SELECT agent_id AS id FROM activity_log LIMIT 1",
		)
		.get() ?? { id: "" };
	for (const time of ["first", "second"]) {
		for (const [table, columns, owner] of texts) {
			if (!has(table)) continue;
			for (const column of columns) {
				const text = marked(`${time} ${column}`, time === "first" ? 400 : 60);
				sqlite.run(`UPDATE ${table} SET ${column} = ? WHERE ${owner} = ?`, [text, id]);
			}
		}
	}
	sqlite.close();
	return id;
}

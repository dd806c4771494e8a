import type { Database } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import type { Registered } from "../../../support/calls.ts";
import { testSqlite } from "../../../support/requirements.ts";
import { notePrepared, planOf, SCAN } from "../../../support/store.ts";
import { useResort } from "../../../support/use-resort.ts";
import { first } from "../../../support/values.ts";

/** The index that each list uses to select a page, by table and path. */
const indexes = {
	experiences: {
		"/api/experiences": "by_rating",
		"/api/experiences?sort=newest": "by_creation",
		"/api/experiences?sort=popular": "by_popularity",
		"/api/experiences?category=Water": "in_category_by_rating",
		"/api/experiences?category=Water&sort=newest": "in_category_by_creation",
		"/api/experiences?category=Water&sort=popular": "in_category_by_popularity",
		"/api/experiences/leaderboard": "ranked",
		"/api/experiences/leaderboard?category=Water": "in_category_ranked",
	},
	experience_votes: {
		"/api/experiences/{id}/votes": "by_experience",
		"/api/experiences/votes/mine": "by_agent",
	},
	postcards: {
		"/api/postcards": "by_recipient",
		"/api/postcards/mine": "by_sender",
		"/api/postcards/inbox": "by_recipient",
	},
};
const lists = Object.entries(indexes).flatMap(([table, paths]) =>
	Object.entries(paths).map(([path, index]) => [path, table, `${table}_${index}`]),
);

interface Instruction {
	readonly opcode: string;
	readonly p1: number;
	readonly p2: number;
}

/**
 * Returns the instructions of a query (https://www.sqlite.org/opcode.html) that read rows of a table. There
 * are none if an index contains all columns that the query needs.
 */
function readsOf(sqlite: Database, query: string, table: string): string[] {
	const [root] = sqlite
		.query<{ rootpage: number }, [string]>(
			"select rootpage from sqlite_schema where type = 'table' and name = ?",
		)
		.all(table);
	const explain = sqlite.prepare<Instruction, []>(`EXPLAIN ${query}`);
	const program = explain.all();
	explain.finalize();
	const cursors = program
		.filter(({ opcode, p2 }) => opcode === "OpenRead" && p2 === root?.rootpage)
		.map(({ p1 }) => p1);
	return program
		.filter(({ opcode }) => /Column|Rowid|Rewind|Last|Seek|Exists/.test(opcode))
		.filter(({ p1 }) => cursors.includes(p1))
		.map(({ opcode }) => opcode);
}

const context = useResort({ shared: true, database: ":memory:" });
const { sqlite } = context;
const prepared = notePrepared(sqlite);
let guest: Registered;
let id: string;

beforeAll(async () => {
	guest = await context.guest();
	({ id } = await context.rated(guest, [5, 4, 4]));
	for (const other of [id, (await context.create(guest)).id]) {
		await context.complete(guest, other);
		await context.vote(guest, other, 4);
	}
	await context.sendPostcard(guest);
	await context.sendPostcard(guest, { recipientId: guest.id });
	await context.me(guest);
});

/** Requests a list. Returns all queries that the request prepares, and the subquery that selects the page. */
async function queriesOf(path: string) {
	prepared.length = 0;
	const paged = `${path}${path.includes("?") ? "&" : "?"}limit=20`;
	const body = await context.send("GET", paged.replace("{id}", id), { key: guest.key });
	expect(Object.values(body).flat().length).toBeGreaterThan(1);
	const all = [...prepared];
	const pages = all.flatMap(
		(query) =>
			/from \((select "seq" as "page_seq", .* limit \+\? offset \+\?)\) "page"/.exec(query)?.slice(1) ?? [],
	);
	expect(pages).toHaveLength(1);
	return { all, page: first(pages) };
}

test.skipIf(testSqlite.isMissing).each(lists)(
	`GET %s selects its page from one index alone, and no query scans a table or sorts${testSqlite.note}`,
	async (path, table, index) => {
		const { all, page } = await queriesOf(path);
		// Ignores the steps that search the table `blocks`, which has its own index.
		const plan = planOf(sqlite, page).filter((step) => !/SUBQUERY|^SEARCH blocks USING|BLOOM/.test(step));
		expect(plan).toHaveLength(1);
		expect(first(plan)).toMatch(new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} \\(`));
		expect(readsOf(sqlite, page, table)).toEqual([]);
		const steps = all.flatMap((query) => planOf(sqlite, query));
		expect(steps.filter((step) => SCAN.test(step) || /TEMP B-TREE/.test(step))).toEqual([]);
	},
);

test
	.skipIf(testSqlite.isMissing)
	.each(["newest", "rating", "popular"].flatMap((sort) => [`sort=${sort}`, `category=Water&sort=${sort}`]))(
	`GET /api/experiences?creatorId=me&%s reads only the caller's experiences${testSqlite.note}`,
	async (query) => {
		const { page } = await queriesOf(`/api/experiences?creatorId=me&${query}`);
		// The first step finds the active experiences, and the second the experiences that the operator has
		// hidden.
		expect(planOf(sqlite, page).filter((step) => /experiences/.test(step))).toEqual([
			"SEARCH experiences USING INDEX experiences_by_creator (archived_at=? AND creator_id=?)",
			"SEARCH experiences USING INDEX experiences_hidden (creator_id=?)",
		]);
	},
);

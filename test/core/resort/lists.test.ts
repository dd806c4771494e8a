/** Tests of the lengths of lists, and of pages with `total` and `next`. */
import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { numbersTo, onPostgres, uuidOf } from "../../support/engine.ts";
import { TestResort } from "../../support/resort.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { NOBODYS } from "../../support/values.ts";

const context = useResort();
const guest = useGuest(context);
let stayId: string;

beforeEach(async () => {
	stayId = (await context.call("GET", "/api/stays/current", guest)).body.stay.id;
});

const uuid = uuidOf("i");
const hash = `replace(${uuid} || ${uuid}, '-', '')`;

/** Statements that insert a row for each of the given numbers. */
const insert = {
	experiences: (numbers: string, id = `'exp-' || ${uuid}`) =>
		`INSERT INTO experiences (id, creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at)
		${numbers} SELECT ${id}, '${guest.id}', 'Tea ' || i, 'Calm', 'calm', 'Something calm', 'Here', 1, 1, i FROM n`,
	agents: (numbers: string) =>
		`INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
		${numbers} SELECT ${uuid}, 'Agent ' || i, '[]', '[]', '[]', i FROM n`,
	stays: (numbers: string, agent: string, until: string) =>
		`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at, checked_out_at)
		${numbers} SELECT ${uuid}, ${agent}, 'Oasis Tent', 1, i, ${until} FROM n`,
	postcards: (numbers: string) =>
		`INSERT INTO postcards (id, stay_id, sender_id, message, created_at)
		${numbers} SELECT ${uuid}, '${stayId}', '${guest.id}', 'Calm', i FROM n`,
	sessions: (numbers: string) =>
		`INSERT INTO sessions (token_hash, agent_id, created_at, expires_at)
		${numbers} SELECT ${onPostgres ? `decode(${hash}, 'hex')` : `unhex(${hash})`}, '${guest.id}', i, ${context.nowMs + DAY_MS} FROM n`,
	votes: (numbers: string) =>
		`INSERT INTO experience_votes (id, experience_id, agent_id, rating, created_at)
		${numbers} SELECT ${uuid}, '${NOBODYS}', ${uuid}, 5, i FROM n`,
};

interface Case {
	readonly path: string;
	readonly name: string;
	/** The number of entries before the list is filled. */
	readonly before?: number;
	/** Returns statements that insert one entry for each number. */
	readonly fill: (numbers: string) => readonly string[];
	/** The parameters in the path of the next page, other than `limit` and `offset`. */
	readonly filters?: string;
}

const ofExperiences = (query: string, filters: string): Case => ({
	path: `/api/experiences${query}`,
	name: "experiences",
	fill: (numbers) => [insert.experiences(numbers)],
	filters,
});

const whole: readonly Case[] = [
	{
		path: "/api/stays",
		name: "stays",
		before: 1,
		fill: (numbers) => [insert.stays(numbers, `'${guest.id}'`, "i")],
	},
	ofExperiences("", ""),
	ofExperiences("?view=brief&category=CALM&sort=newest", "&category=CALM&sort=newest&view=brief"),
	{ path: "/api/sessions", name: "sessions", fill: (numbers) => [insert.sessions(numbers)] },
	{
		path: "/api/lobby",
		name: "guests",
		before: 1,
		fill: (numbers) => [
			insert.agents(numbers),
			insert.stays(numbers, uuid, "null"),
			"UPDATE agents SET newest_stay = (SELECT seq FROM stays WHERE agent_id = agents.id)",
		],
	},
	{
		path: `/api/experiences/${NOBODYS}/votes`,
		name: "votes",
		fill: (numbers) => [
			insert.experiences(numbersTo(1), `'${NOBODYS}'`),
			insert.agents(numbers),
			insert.votes(numbers),
		],
	},
];

async function fill({ fill, before = 0 }: Case, total: number): Promise<void> {
	const statements = fill(numbersTo(total - before));
	for (const statement of statements) await context.rows(statement);
	// PostgreSQL does this by itself within a minute. Until then, a plan may read all agents for each stay.
	if (onPostgres) await context.rows("ANALYZE agents, stays");
}

async function list({ path, name }: Case, query = "") {
	const joined = path.includes("?") ? query.replace("?", "&") : query;
	const answer = await context.call("GET", `${path}${joined}`, guest);
	const entries: readonly object[] = Reflect.get(answer.body, name) ?? [];
	return { answer, entries };
}

describe.each(whole)("GET $path", (one) => {
	test.each([
		[1_000, "without"],
		[1_001, "with"],
	])("without `limit` returns 1,000 of %d entries, %s `next`", async (total, nextOrNot) => {
		await fill(one, total);
		const { answer, entries } = await list(one);
		expect(answer.status).toBe(200);
		expect(entries).toHaveLength(1_000);
		expect(answer.body).toMatchObject({ total });
		const { totalGuestsToday = total } = answer.body;
		expect(totalGuestsToday).toBe(total);
		const { path, filters = "" } = one;
		const next = `${path.replace(/\?.*/, "")}?limit=100&offset=1000${filters}`;
		expect<unknown>(answer.body.next).toBe(nextOrNot === "with" ? next : undefined);
		const rest = await list({ ...one, path: next });
		expect(rest.entries).toHaveLength(total - 1_000);
		expect(rest.answer.body).toMatchObject({ total });
		expect(rest.answer.body.next).toBeUndefined();
	});
});

const board: Case = {
	path: "/api/postcards",
	name: "postcards",
	fill: (numbers) => [insert.postcards(numbers)],
};

test("GET /api/postcards returns 20 postcards by default and 100 with `limit=100`", async () => {
	await fill(board, 101);
	expect((await list(board)).entries).toHaveLength(20);
	expect((await list(board, "?limit=100")).entries).toHaveLength(100);
});

test("GET /api/experiences sorts by exact averages of the ratings, not by rounded ones", async () => {
	await context.rows(insert.experiences(numbersTo(2)));
	// 26/7 is 3.7143 and 63/17 is 3.7059.
	await context.rows("UPDATE experiences SET total_votes = 7, rating_sum = 26 WHERE name = 'Tea 1'");
	await context.rows("UPDATE experiences SET total_votes = 17, rating_sum = 63 WHERE name = 'Tea 2'");
	expect(await context.names()).toEqual(["Tea 1", "Tea 2"]);
});

test("GET /api/experiences/leaderboard returns 20 entries by default and 100 with `limit=100`", async () => {
	await context.rows(insert.experiences(numbersTo(101)));
	await context.rows("UPDATE experiences SET total_votes = 3, rating_sum = 12");
	const ranks = async (query: string) => (await context.leaders(query)).map(([rank]) => rank);
	const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
	for (const category of ["?", "?category=calm&"]) {
		expect(await ranks(category)).toEqual(upTo(20));
		expect(await ranks(`${category}limit=100`)).toEqual(upTo(100));
	}
});

test("uncached pages with an offset above 20,000 count towards a limit for each address", async () => {
	await using limited = new TestResort({ rateLimits: true });
	const statusOf = async (offset: number) =>
		(await limited.call("GET", `/api/postcards?offset=${offset}`)).status;
	for (const offset of [20_001, 20_002, 20_002, 20_000]) {
		expect(await statusOf(offset)).toBe(200);
	}
	expect(await statusOf(20_003)).toBe(429);
	limited.advance(1_000);
	expect(await statusOf(20_003)).toBe(200);
});

/** Tests of the lengths of lists, and of pages with `total` and `next`. */
import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { numbersTo, onPostgres, uuidOf } from "../../support/engine.ts";
import { TestResort } from "../../support/resort.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const context = useResort();
const guest = useGuest(context);

const uuid = uuidOf("i");
const hash = `replace(${uuid} || ${uuid}, '-', '')`;

/** Statements that insert a row for each of the given numbers. */
const insert = {
	experiences: (numbers: string) =>
		`INSERT INTO experiences (id, creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at)
		${numbers} SELECT 'exp-' || ${uuid}, '${guest.id}', 'Tea ' || i, 'Calm', 'calm', 'Something calm', 'Here', 1, 1, i FROM n`,
	agents: (numbers: string) =>
		`INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
		${numbers} SELECT ${uuid}, 'Agent ' || i, '[]', '[]', '[]', i FROM n`,
	stays: (numbers: string) =>
		`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at)
		${numbers} SELECT ${uuid}, ${uuid}, 'Oasis Tent', 1, i FROM n`,
	sessions: (numbers: string) =>
		`INSERT INTO sessions (token_hash, agent_id, created_at, expires_at)
		${numbers} SELECT ${onPostgres ? `decode(${hash}, 'hex')` : `unhex(${hash})`}, '${guest.id}', i, ${context.nowMs + DAY_MS} FROM n`,
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

/** Lists with different implementations. All other lists share the implementation of the first one. */
const whole: readonly Case[] = [
	{
		path: "/api/experiences?view=brief&category=CALM&sort=newest",
		name: "experiences",
		fill: (numbers) => [insert.experiences(numbers)],
		filters: "&category=CALM&sort=newest&view=brief",
	},
	{ path: "/api/sessions", name: "sessions", fill: (numbers) => [insert.sessions(numbers)] },
	{
		path: "/api/lobby",
		name: "guests",
		before: 1,
		fill: (numbers) => [
			insert.agents(numbers),
			insert.stays(numbers),
			"UPDATE agents SET newest_stay = (SELECT seq FROM stays WHERE agent_id = agents.id)",
		],
	},
];

async function fill({ fill, before = 0 }: Case, total: number): Promise<void> {
	const statements = fill(numbersTo(total - before));
	for (const statement of statements) await context.rows(statement);
	// PostgreSQL may take a minute to analyse new rows. Until then, a query may read all agents for each stay.
	if (onPostgres) await context.rows("ANALYZE agents, stays");
}

async function list({ name }: Case, path: string) {
	const answer = await context.call("GET", path, guest);
	const entries: readonly object[] = Reflect.get(answer.body, name) ?? [];
	return { answer, entries };
}

describe.each(whole)("GET $path without `limit`", (one) => {
	test.each([
		["all of 1,000 entries, and no `next`", 1_000],
		["the first 1,000 of 1,001 entries, and `next`", 1_001],
	])("returns %s", async (_, total) => {
		await fill(one, total);
		const { answer, entries } = await list(one, one.path);
		expect(answer.status).toBe(200);
		expect(entries).toHaveLength(1_000);
		expect(answer.body).toMatchObject({ total });
		const { totalGuestsToday = total } = answer.body;
		expect(totalGuestsToday).toBe(total);
		const { path, filters = "" } = one;
		const next = `${path.replace(/\?.*/, "")}?limit=100&offset=1000${filters}`;
		expect<unknown>(answer.body.next).toBe(total > 1_000 ? next : undefined);
		const rest = await list(one, next);
		expect(rest.entries).toHaveLength(total - 1_000);
		expect(rest.answer.body).toMatchObject({ total });
		expect(rest.answer.body.next).toBeUndefined();
	});

	test("returns 100 entries if the query contains `offset`", async () => {
		await fill(one, 150);
		for (const offset of [0, 30]) {
			const { answer, entries } = await list(
				one,
				`${one.path}${one.path.includes("?") ? "&" : "?"}offset=${offset}`,
			);
			expect(entries).toHaveLength(100);
			expect(String(answer.body.next)).toContain(`limit=100&offset=${offset + 100}`);
		}
	});
});

test("GET /api/postcards returns 20 postcards by default", async () => {
	for (let sent = 0; sent < 21; sent++) await context.sendPostcard(guest);
	expect(await context.messages("/api/postcards")).toHaveLength(20);
});

test("GET /api/experiences sorts by exact averages of the ratings, not by rounded ones", async () => {
	await context.rows(insert.experiences(numbersTo(2)));
	// 26/7 is 3.7143 and 63/17 is 3.7059: both are shown as 3.71.
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

test("a caller may request, per second, only two uncached pages whose `offset` is above 20,000", async () => {
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

/** What a list without `limit` shows at most, and what stands beside it. */
import { beforeEach, describe, expect, test } from "bun:test";
import { numbersTo, uuidOf } from "../support/engine.ts";
import { TestResort } from "../support/resort.ts";
import { useGuest, useResort } from "../support/use-resort.ts";

const context = useResort();
const guest = useGuest(context);
let stayId: string;

beforeEach(async () => {
	stayId = (await context.ask("GET", "/api/stays/current", guest)).body.stay.id;
});

const uuid = uuidOf("i");

const experiences = (creator: string) =>
	`INSERT INTO experiences (id, creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at)
	SELECT 'exp-' || ${uuid}, '${creator}', 'Tea ' || i, 'Calm', 'calm', 'Something calm', 'Here', 1, 1, i FROM n`;
const agents = `INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
	SELECT ${uuid}, 'Agent ' || i, '[]', '[]', '[]', i FROM n`;
const postcards = (recipient: string) =>
	`INSERT INTO postcards (id, stay_id, sender_id, recipient_id, message, created_at)
	SELECT ${uuid}, '${stayId}', '${guest.id}', ${recipient}, 'Calm', i FROM n`;

interface Case {
	readonly path: string;
	readonly name: string;
	/** The entries that are there already. */
	readonly before?: number;
	/** Statements that make as many entries as `n` has numbers. */
	readonly fill: () => readonly string[];
	/** The parameters of the path of the next page, beside `limit` and `offset`. */
	readonly filters?: string;
}

const lists: readonly Case[] = [
	{
		path: "/api/stays",
		name: "stays",
		before: 1,
		fill: () => [
			`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at, checked_out_at)
			SELECT ${uuid}, '${guest.id}', 'Oasis Tent', 1, i, i FROM n`,
		],
	},
	{
		path: "/api/activities/log",
		name: "log",
		fill: () => [
			`INSERT INTO activity_log (id, stay_id, agent_id, activity_id, activity_name, activity_category, started_at, relaxation_points)
			SELECT ${uuid}, '${stayId}', '${guest.id}', 'tidepool-float', 'Float', 'water', i, 1 FROM n`,
		],
	},
	{
		path: "/api/experiences",
		name: "experiences",
		fill: () => [experiences(guest.id)],
	},
	{
		path: "/api/experiences?view=brief&category=CALM&sort=newest",
		name: "experiences",
		fill: () => [experiences(guest.id)],
		filters: "&category=calm&sort=newest&view=brief",
	},
	{
		path: "/api/experiences?creatorId=me",
		name: "experiences",
		fill: () => [experiences(guest.id)],
		filters: "&creatorId=me",
	},
	{
		path: "/api/postcards/mine",
		name: "postcards",
		fill: () => [postcards("null")],
	},
	{
		path: "/api/postcards/inbox",
		name: "postcards",
		fill: () => [postcards(`'${guest.id}'`)],
	},
	{
		path: "/api/lobby",
		name: "guests",
		before: 1,
		fill: () => [
			agents,
			`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at)
			SELECT ${uuid}, ${uuid}, 'Oasis Tent', 1, i FROM n`,
		],
	},
];

describe.each(lists)(
	"GET $path",
	({ path, name, before = 0, fill, filters = "" }) => {
		test.each([
			[999, 999, false],
			[1_000, 1_000, false],
			[1_001, 1_000, true],
		])(
			"of %d entries shows %d, and leads on: %p",
			async (total, shown, leadsOn) => {
				for (const statement of fill()) {
					const [insert = "", select = ""] = statement.split(
						/(?=\n\tSELECT|\n\t\t\tSELECT)/,
					);
					await context.rows(
						`${insert} ${numbersTo(total - before)} ${select}`,
					);
				}
				const { status, body } = await context.ask("GET", path, guest);
				expect(status).toBe(200);
				const entries = (fields: object): readonly object[] =>
					Reflect.get(fields, name);
				expect(entries(body)).toHaveLength(shown);
				expect(body).toMatchObject({ total });
				const next = `${path.replace(/\?.*/, "")}?limit=100&offset=1000${filters}`;
				expect<unknown>(body.next).toBe(leadsOn ? next : undefined);
				const rest = await context.ask("GET", next, guest);
				expect(entries(rest.body)).toHaveLength(total - shown);
				expect(rest.body).toMatchObject({ total });
				expect(rest.body.next).toBeUndefined();
			},
		);
	},
);

describe.each(["/api/experiences/{id}/votes", "/api/experiences/votes/mine"])(
	"GET %s",
	(template) => {
		test.each([
			[1_000, false],
			[1_001, true],
		])("of %d votes leads on: %p", async (total, leadsOn) => {
			const isOwn = template.endsWith("/mine");
			await context.rows(
				`${agents.replace("\n\tSELECT", ` ${numbersTo(total)} SELECT`)}`,
			);
			await context.rows(
				experiences(guest.id).replace(
					"\n\tSELECT",
					` ${numbersTo(total)} SELECT`,
				),
			);
			const { experiences: made } = (
				await context.ask("GET", "/api/experiences?limit=1", guest)
			).body;
			const id = made[0]?.id ?? "";
			await context.rows(
				isOwn
					? `INSERT INTO experience_votes (id, experience_id, agent_id, rating, created_at) SELECT substr(id, 5), id, '${guest.id}', 5, created_at FROM experiences`
					: `INSERT INTO experience_votes (id, experience_id, agent_id, rating, created_at) ${numbersTo(total)} SELECT ${uuid}, '${id}', ${uuid}, 5, i FROM n`,
			);
			const path = template.replace("{id}", id);
			const { body } = await context.ask("GET", path, guest);
			expect(body.votes).toHaveLength(Math.min(total, 1_000));
			expect(body).toMatchObject({ total });
			const next = `${path}?limit=100&offset=1000`;
			expect<unknown>(body.next).toBe(leadsOn ? next : undefined);
		});
	},
);

test("the pages of a list follow each other by next", async () => {
	for (let at = 0; at < 7; at++) {
		context.advance(1);
		const body = { message: `#${at}` };
		await context.ask("POST", "/api/postcards", { ...guest, body });
	}
	const pages: string[][] = [];
	let path: unknown = "/api/postcards?limit=3";
	while (typeof path === "string") {
		const { body } = await context.ask("GET", path, guest);
		expect(body).not.toHaveProperty("total");
		pages.push(body.postcards.map(({ message }) => message));
		path = body.next;
	}
	expect(pages).toEqual([["#6", "#5", "#4"], ["#3", "#2", "#1"], ["#0"]]);
});

test("pages beyond an offset of 20,000 that are not cached are limited by address", async () => {
	await using limited = new TestResort({ rateLimits: true });
	const statusOf = async (offset: number) =>
		(await limited.ask("GET", `/api/postcards?offset=${offset}`)).status;
	for (const offset of [20_001, 20_002, 20_002, 20_000]) {
		expect(await statusOf(offset)).toBe(200);
	}
	expect(await statusOf(20_003)).toBe(429);
	limited.advance(1_000);
	expect(await statusOf(20_003)).toBe(200);
});

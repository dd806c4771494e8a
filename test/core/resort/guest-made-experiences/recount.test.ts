import { beforeAll, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import type { Answered, Registered } from "../../../support/calls.ts";
import { onPostgres } from "../../../support/engine.ts";
import { recounts } from "../../../support/recounts.ts";
import { useResort } from "../../../support/use-resort.ts";
import { first, fogBathing } from "../../../support/values.ts";

/** Fewer on PostgreSQL, where an operation takes five times as long. */
const OPERATIONS = onPostgres ? 800 : 2_000;
const AGENTS = 12;
const CATEGORIES = ["water", "Water", "air", "ÉCUME"];

/** Queries that must return no rows. */
const impossible = {
	"a vote without a completion": `select id from experience_votes v where not exists
		(select 1 from activity_log l where l.experience_id = v.experience_id and l.agent_id = v.agent_id)`,
	"two votes of one agent":
		"select agent_id from experience_votes group by experience_id, agent_id having count(*) > 1",
	"a completion outside of its stay": `select l.id from activity_log l join stays s on s.id = l.stay_id
		where l.agent_id <> s.agent_id or l.started_at < s.checked_in_at or l.started_at > s.checked_out_at`,
	"a postcard that was sent outside of its stay": `select p.id from postcards p join stays s on s.id = p.stay_id
		where p.sender_id <> s.agent_id or p.created_at < s.checked_in_at or p.created_at > s.checked_out_at`,
};

describe.each([
	{ seed: 1, maxStayMs: 0 },
	{ seed: 3, maxStayMs: 2 * HOUR_MS },
])("after thousands of concurrent operations with %j", ({ seed, maxStayMs }) => {
	const context = useResort({ shared: true, maxStayMs });
	let drawn = 0;
	const below = (bound: number) => Number(Bun.hash(`${seed}:${drawn++}`) % BigInt(bound));
	const pick = <T>(items: readonly T[]): T => first(items.slice(below(items.length)));
	const agents: Registered[] = [];
	const made: { id: string; creatorId: string }[] = [];
	const answered = new Map<string, number>();

	const post = ({ key }: Registered, path: string, body: object = {}) =>
		context.call("POST", path, { key, body });
	const experience = (some = made) => `/api/experiences/${pick(some).id}`;
	const ownOrAny = ({ id }: Registered) => {
		const own = made.filter(({ creatorId }) => creatorId === id);
		return own.length > 0 ? own : made;
	};
	const newExperience = () => {
		return { ...fogBathing, category: pick(CATEGORIES), relaxationPoints: 1 + below(10) };
	};
	const anybody = () => (below(2) === 0 ? null : pick(agents).id);

	/** The operations, each with its weight. */
	const operations: [name: string, weight: number, call: (agent: Registered) => Promise<Answered>][] = [
		["create", 4, (agent) => post(agent, "/api/experiences", newExperience())],
		["do", 40, (agent) => post(agent, `${experience()}/do`)],
		["vote", 30, (agent) => post(agent, `${experience()}/vote`, { rating: 1 + below(5) })],
		["archive", 2, (agent) => context.call("DELETE", experience(ownOrAny(agent)), agent)],
		["send", 10, (agent) => post(agent, "/api/postcards", { message: "Wish", recipientId: anybody() })],
		["activity", 5, (agent) => post(agent, "/api/activities/tidepool-float/do")],
		["checkin", 12, (agent) => post(agent, "/api/checkin")],
		["checkout", 4, (agent) => post(agent, "/api/checkout")],
		["deactivate", 1, (agent) => context.call("DELETE", "/api/me", agent)],
	];
	const weighted = operations.flatMap((one) => Array<typeof one>(one[1]).fill(one));

	/** Makes up to 8 concurrent calls. Some of the agents may be deactivated by then. */
	const step = async (count: number) => {
		const calls = Array.from({ length: count }, async () => {
			const [kind, , call] = pick(weighted);
			const at = below(AGENTS);
			const { status, body, text } = await call(first(agents.slice(at)));
			expect([200, 201, 400, 401, 403, 404], text).toContain(status);
			const name = `${kind} ${status}`;
			answered.set(name, (answered.get(name) ?? 0) + 1);
			if (name === "create 201") made.push(body.experience);
			if (name === "deactivate 200") agents[at] = await context.register();
		});
		await Promise.all(calls);
		context.advance(below(60_000));
	};

	beforeAll(async () => {
		for (let at = 0; at < AGENTS; at++) agents.push(await context.guest());
		made.push(await context.create(pick(agents)));
		for (let done = 0; done < OPERATIONS; ) {
			const count = 1 + below(8);
			await step(count);
			done += count;
		}
	}, 120_000);

	const rows = (query: string) => context.rows(query);
	const count = async (from: string) => (await rows(`select 1 from ${from}`)).length;

	test.each(Object.entries(recounts))("%s equal a recount of the rows", async (_, [kept, counted]) => {
		const found = await rows(kept);
		expect(found.length).toBeGreaterThan(10);
		expect(found).toEqual(await rows(counted));
	});

	test.each(Object.entries(impossible))("the database contains no row with %s", async (_, query) => {
		expect(await rows(query)).toEqual([]);
	});

	test("the database contains exactly the acknowledged changes", async () => {
		const said = (name: string) => answered.get(name) ?? 0;
		expect({
			experiences: await count("experiences"),
			archived: await count("experiences where archived_at is not null"),
			done: await count("activity_log where experience_id is not null"),
			activities: await count("activity_log where activity_id is not null"),
			postcards: await count("postcards"),
			stays: await count("stays"),
			left: await count("agents where deactivated_at is not null"),
		}).toEqual({
			experiences: 1 + said("create 201"),
			archived: said("archive 200"),
			done: said("do 201"),
			activities: said("activity 201"),
			postcards: said("send 201"),
			stays: AGENTS + said("checkin 201"),
			left: said("deactivate 200"),
		});
	});
});

import { beforeAll, describe, expect, test } from "bun:test";
import {
	type Filter,
	filterOfRecipient,
	publicFilter,
} from "../../../../src/core/resort/events/event-filter.ts";
import { EventLog } from "../../../../src/core/resort/events/event-log.ts";
import { eventTypes } from "../../../../src/core/resort/events/publish.ts";
import type { Registered } from "../../../support/calls.ts";
import { numbersTo, onPostgres } from "../../../support/engine.ts";
import type { TestResort } from "../../../support/resort.ts";
import { useResort } from "../../../support/use-resort.ts";
import { first } from "../../../support/values.ts";
import { eventsOf, typesOf } from "./reading.ts";

const MAX_EXAMINED = 5_000;

/** SQL for the details of an event, with the fields of all types. */
const DETAILS = `'{"roomName":"r","roomType":"r","checkedInAt":1,"reason":"checked_out","checkedOutAt":1,"totalRelaxationPoints":1,"activityId":null,"name":"n","category":"c","relaxationPoints":1,"rating":1}'`;

async function insertEvents(resort: TestResort, count: number, { id }: Registered, type = "agent.gone") {
	await resort.rows(
		`${numbersTo(count)} INSERT INTO events (type, at, agent_id, details) SELECT '${type}', i, '${id}', ${DETAILS} FROM n`,
	);
}

describe("event filters", () => {
	const resort = useResort({ shared: true });
	const events = eventsOf(resort);
	const COUNT = 6_500;
	const agents: Registered[] = [];
	let start: number;
	let rows: {
		readonly id: number;
		readonly type: string;
		readonly agent: number;
		readonly recipient: number | null;
		readonly creator: number | null;
	}[];
	const idOf = (place: number) => agents[place]?.id;

	beforeAll(async () => {
		for (let place = 0; place < 4; place++) agents.push(await resort.guest());
		const postcard = await resort.sendPostcard(first(agents));
		start = Number((await events()).cursor);
		// The first agent has most of the events, the last one few.
		rows = Array.from({ length: COUNT }, (_, at) => {
			const type = eventTypes[(at * 31) % 9] ?? "";
			const isOfExperience = /did|rated/.test(type) && at % 2 === 0;
			return {
				id: start + 1 + at,
				type,
				agent: at % 100 ? (at * 7) % 3 : 3,
				recipient: type === "postcard.received" ? (at * 11) % 4 : null,
				creator: isOfExperience ? (at * 13) % 4 : null,
			};
		});
		const texts = rows.map(({ id, type, agent, recipient, creator }) => {
			const [to, by] = [recipient, creator].map((place) => (place === null ? "null" : `'${idOf(place)}'`));
			return `(${id}, '${type}', 1, '${idOf(agent)}', ${to}, ${by}, ${type.startsWith("postcard.") ? `'${postcard.id}'` : "null"}, ${DETAILS})`;
		});
		await resort.rows(
			`INSERT INTO events (id, type, at, agent_id, recipient_id, creator_id, subject_id, details) VALUES ${texts}`,
		);
		if (onPostgres) {
			await resort.rows(`SELECT setval('event_ids', ${start + COUNT})`);
		}
	});

	/** Reads all pages, each from the cursor of the previous one. */
	async function readAll(query: string, caller?: Registered) {
		const read: number[] = [];
		for (let cursor = start; cursor < start + COUNT; ) {
			const page = await events(`?since=${cursor}${query}`, caller);
			expect(Number(page.cursor)).toBeGreaterThan(cursor);
			read.push(...page.events.map(({ id }) => Number(id)));
			cursor = Number(page.cursor);
		}
		return read;
	}

	const typeLists = [
		null,
		["agent.gone"],
		["postcard.received"],
		["agent.did", "experience.rated", "postcard.received"],
	];
	const idLists = [null, [3], [0, 1, 3]];
	const filters = typeLists.flatMap((types) =>
		idLists.flatMap((ids) => [null, 0, 3].map((reader) => ({ types, ids, reader }))),
	);

	test.each(filters)("%j selects each matching event once", async ({ types, ids, reader }) => {
		const matching = rows.filter(
			({ type, agent, recipient, creator }) =>
				(types?.includes(type) ?? true) &&
				(ids?.includes(agent) ?? true) &&
				(recipient === null
					? reader === null || agent === reader || creator === reader
					: recipient === reader),
		);
		const query = [...(types ? [`&types=${types}`] : []), ...(ids ? [`&ids=${ids.map(idOf)}`] : [])].join("");
		const caller = reader === null ? undefined : agents[reader];
		expect(await readAll(query, caller)).toEqual(matching.map(({ id }) => id));
	});

	const strangers = Array.from({ length: 100 }, (_, at) => `stranger ${at}`);
	const someTypes = new Set(["agent.gone", "postcard.received"]);
	const ofWebhooks: [name: string, create: () => Filter][] = [
		["no filter", () => filterOfRecipient(null, `${idOf(3)}`)],
		["some types", () => filterOfRecipient(someTypes, `${idOf(3)}`)],
		["many agents", () => publicFilter(null, new Set([...strangers, `${idOf(3)}`]))],
		["many agents and types", () => publicFilter(someTypes, new Set([...strangers, `${idOf(3)}`]))],
	];

	test.each(ofWebhooks)("a webhook with %s selects each matching event once", async (_, create) => {
		const filter = create();
		const log = new EventLog(resort.context.store);
		const found: number[] = [];
		const newest = await log.newest();
		for (let cursor = start; cursor < newest; ) {
			const page = await log.search("a", { since: cursor, filter, limit: 50 });
			found.push(...page.events.map(({ id }) => id));
			cursor = page.cursor;
		}
		const matching = rows.filter(({ type, agent, recipient, creator }) =>
			filter({
				type,
				agentId: `${idOf(agent)}`,
				recipientId: recipient === null ? null : `${idOf(recipient)}`,
				creatorId: creator === null ? null : `${idOf(creator)}`,
			}),
		);
		expect(matching.length).toBeGreaterThan(5);
		expect(found).toEqual(matching.map(({ id }) => id));
	});
});

describe("GET /api/events", () => {
	const resort = useResort();
	const events = eventsOf(resort);

	test("returns 100 events without `limit`", async () => {
		const ada = await resort.register();
		const { cursor } = await events();
		await insertEvents(resort, 101, ada);
		expect((await events(`?since=${cursor}`)).events).toHaveLength(100);
	});

	test.each([-2, -1, 0, 1])(
		"examines at most 5,000 events, with the match %i places after the last of them",
		async (more) => {
			const ada = await resort.register();
			const { cursor: start } = await events();
			const before = MAX_EXAMINED + more;
			await insertEvents(resort, before, ada);
			await insertEvents(resort, 1, ada, "agent.relaxing");
			const query = `&ids=${ada.id}&types=agent.relaxing`;
			const page = await events(`?since=${start}${query}`);
			const isFound = more < 0;
			const examined = isFound ? before + 1 : MAX_EXAMINED;
			expect(page.events.length).toBe(isFound ? 1 : 0);
			expect(Number(page.cursor) - Number(start)).toBe(examined);
			const next = await events(`?since=${page.cursor}${query}`);
			expect(next.events.length).toBe(isFound ? 0 : 1);
		},
	);

	test("with `wait` returns after 5,000 examined events", async () => {
		const ada = await resort.register();
		const { cursor: start } = await events();
		await insertEvents(resort, 12_000, ada);
		await insertEvents(resort, 1, ada, "agent.relaxing");
		const query = `&wait=60&ids=${ada.id}&types=agent.relaxing`;
		let cursor = start;
		for (const examined of [5_000, 10_000]) {
			const page = await events(`?since=${cursor}${query}`);
			expect(page).toMatchObject({ events: [], reset: false });
			expect(Number(page.cursor) - Number(start)).toBe(examined);
			cursor = page.cursor;
		}
		const last = await events(`?since=${cursor}${query}`);
		expect(typesOf(last)).toEqual(["agent.relaxing"]);
	});
});

describe("concurrent searches", () => {
	const resort = useResort();

	test("run one at a time for each network, and networks take turns", async () => {
		const { id } = await resort.guest();
		const log = new EventLog(resort.context.store);
		const filter = publicFilter(null, new Set([id]));
		const ended: string[] = [];
		const search = async (network: string) => {
			await log.search(network, { since: 0, filter, limit: 1 });
			ended.push(network);
		};
		const many = Array.from({ length: 20 }, () => search("192.0.2.1"));
		await Promise.all([...many, search("192.0.2.2")]);
		expect(ended.indexOf("192.0.2.2")).toBeLessThan(4);
	});

	test("are refused if 1,001 of the network wait", async () => {
		await resort.guest();
		const log = new EventLog(resort.context.store);
		const search = () => log.search("192.0.2.1", { since: 0, filter: () => true, limit: 1 });
		const searches = Promise.allSettled(Array.from({ length: 1_002 }, search));
		// On a slow machine, searches that have waited too long are refused with another error.
		const refused = (await searches).filter(
			(one) => one.status === "rejected" && one.reason.details.retryAfterSeconds === 5,
		);
		expect(refused).toMatchObject([{ reason: { code: "unavailable" } }]);
	});

	test("return no events if their subscription ends while they wait", async () => {
		const { id } = await resort.guest();
		const log = new EventLog(resort.context.store);
		const filter = publicFilter(null, new Set([id]));
		const subscribe = () => log.subscribe({ wake() {}, end() {} }, filter, "a");
		const [first, second] = [subscribe(), subscribe()];
		const pages = Promise.all([first.next(0, 1), second.next(0, 1)]);
		second.end();
		const [page, none] = await pages;
		expect(page.events.map(({ type }) => type)).toEqual(["agent.relaxing"]);
		expect(none).toMatchObject({ events: [], cursor: 0 });
		first.end();
	});
});

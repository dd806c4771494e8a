import { toTimestamp } from "../lib/clock.ts";
import { pause } from "../lib/pause.ts";
import { logOfAgent } from "../resort/activities/queries.ts";
import type { Resort } from "../resort/resort.ts";
import { SLICE, sliceValues } from "../store/page.ts";
import { getAnyAgent } from "./agents.ts";
import { overEvents } from "./event-ranges.ts";
import {
	deliveriesOf,
	eventsOf,
	experiencesOf,
	identityOf,
	keyOf,
	postcardsOf,
	sessionsOf,
	staysOf,
	votesOf,
	webhooksOf,
} from "./queries.ts";

/** Rows as they are exported: by the names of their columns, with times as timestamps. */
export type Exported = Readonly<Record<string, unknown>>;

/**
 * Everything that is kept of an agent, by table. Secrets and hashes are left out; of others there is nothing but
 * their ids, and what the agent's own log and postcards say.
 * @throws ResortError `not_found`
 */
export async function exportAgent(
	resort: Resort,
	id: string,
): Promise<Readonly<Record<string, Exported | readonly Exported[] | null>>> {
	const { store } = resort;
	const agent = await store.read(() => getAnyAgent(store, id));
	const agentId = agent.id;
	const own = { agentId };
	const tables = await store.read(function* () {
		return {
			key: (yield* keyOf(store).get(own)) ?? null,
			identity: (yield* identityOf(store).get(own)) ?? null,
			sessions: yield* sessionsOf(store).all(own),
			stays: yield* staysOf(store).all(own),
			experiences: yield* experiencesOf(store).all(own),
			votes: yield* votesOf(store).all(own),
			postcards: yield* postcardsOf(store).all(own),
			webhooks: yield* webhooksOf(store).all(own),
			deliveries: yield* deliveriesOf(store).all(own),
		};
	});
	const { key, identity, ...lists } = tables;
	return {
		agent: shown(agent),
		key: key && shown(key),
		identity: identity && shown(identity),
		...Object.fromEntries(
			Object.entries(lists).map(([name, rows]) => [name, rows.map(shown)]),
		),
		log: await readLog(resort, agentId),
		events: await readOwnEvents(resort, agentId),
	};
}

async function readLog(
	{ store }: Resort,
	agentId: string,
): Promise<Exported[]> {
	const rows: Exported[] = [];
	for (let offset = 0; ; offset += SLICE) {
		const page = await store.read(function* () {
			const keys = yield* logOfAgent
				.keys(store)
				.all({ agentId, limit: SLICE, offset });
			return yield* logOfAgent
				.rows(store)
				.all(sliceValues(keys.map(({ seq }) => seq)));
		});
		rows.push(...page.map(shown));
		if (page.length < SLICE)
			return rows.sort((a, b) => Number(a.seq) - Number(b.seq));
		await pause();
	}
}

async function readOwnEvents(
	{ store }: Resort,
	agentId: string,
): Promise<Exported[]> {
	const found: Exported[] = [];
	await overEvents(store, async (range) => {
		const rows = await store.read(function* () {
			return yield* eventsOf(store).all({ agentId, ...range });
		});
		found.push(
			...rows.map((row) =>
				shown({ ...row, details: row.details && JSON.parse(row.details) }),
			),
		);
	});
	return found;
}

/** The names of columns that hold moments. */
const MOMENT = /(At|Since|Active|End)$|^at$/;

/** A row with its moments as timestamps. */
function shown(row: object): Exported {
	return Object.fromEntries(
		Object.entries(row).map(([name, value]) => [
			name,
			MOMENT.test(name) && typeof value === "number"
				? toTimestamp(value)
				: value,
		]),
	);
}

import { toTimestamp } from "../lib/clock.ts";
import type { Resort } from "../resort/resort.ts";
import { READ_AT_ONCE } from "../store/ranges.ts";
import { getAnyAgent } from "./agents.ts";
import { logRanges } from "./changes.ts";
import {
	deliveriesOf,
	eventRanges,
	eventsOf,
	experiencesOf,
	identityOf,
	keyOf,
	logOf,
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
	const found: Exported[] = [];
	await logRanges.visit(store, READ_AT_ONCE, async (range) => {
		const rows = await store.read(function* () {
			return yield* logOf(store).all({ agentId, ...range });
		});
		found.push(...rows.map(shown));
	});
	return found;
}

async function readOwnEvents(
	{ store }: Resort,
	agentId: string,
): Promise<Exported[]> {
	const found: Exported[] = [];
	await eventRanges.visit(store, READ_AT_ONCE, async (range) => {
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

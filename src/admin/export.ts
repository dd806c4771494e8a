import { setImmediate } from "node:timers/promises";
import { toTimestamp } from "../lib/clock.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { SLICE, sliceValues } from "../store/page.ts";
import type { Store } from "../store/store.ts";
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

/** How many events or entries of the log are read at a time: some 6 ms when all are the agent's. */
const AT_ONCE = 2_000;

/** Rows as they are exported: by the names of their columns, with times as timestamps. */
export type Exported = Readonly<Record<string, unknown>>;

/**
 * Everything that is kept of an agent, by table. Secrets and hashes are left out; of others there is nothing but
 * their ids, and what the agent's own log and postcards say.
 * @throws ResortError `not_found`
 */
export async function exportAgent(
	context: ServiceContext,
	id: string,
): Promise<Readonly<Record<string, Exported | readonly Exported[] | null>>> {
	const { store } = context;
	const agent = await store.read(() => getAnyAgent(store, id));
	const agentId = agent.id;
	const own = { agentId };
	const { key, identity, ...few } = await store.read(function* () {
		return {
			key: (yield* keyOf(store).get(own)) ?? null,
			identity: (yield* identityOf(store).get(own)) ?? null,
			sessions: yield* sessionsOf(store).all(own),
			webhooks: yield* webhooksOf(store).all(own),
		};
	});
	return {
		agent: shown(agent),
		key: key && shown(key),
		identity: identity && shown(identity),
		sessions: few.sessions.map(shown),
		stays: await readMany(store, staysOf, agentId),
		experiences: await readMany(store, experiencesOf, agentId),
		votes: await readMany(store, votesOf, agentId),
		postcards: await readMany(store, postcardsOf, agentId),
		webhooks: few.webhooks.map(shown),
		deliveries: await readMany(store, deliveriesOf, agentId),
		log: await readLog(context, agentId),
		events: await readOwnEvents(context, agentId),
	};
}

/** Reads a slice at a time, so that others are answered meanwhile. */
async function readMany(
	store: Store,
	{ keys, rows }: typeof postcardsOf,
	agentId: string,
): Promise<Exported[]> {
	const found: Exported[] = [];
	const all = await store.read(() => keys(store).all({ agentId }));
	const seqs = all.map(({ seq }) => seq);
	for (let from = 0; from < seqs.length; from += SLICE) {
		const slice = sliceValues(seqs.slice(from, from + SLICE));
		const read = await store.read(() => rows(store).all(slice));
		found.push(...read.map(shown));
		await setImmediate();
	}
	return found;
}

async function readLog(
	{ store }: ServiceContext,
	agentId: string,
): Promise<Exported[]> {
	const found: Exported[] = [];
	await logRanges.visit(store, AT_ONCE, async (range) => {
		const rows = await store.read(() =>
			logOf(store).all({ agentId, ...range }),
		);
		found.push(...rows.map(shown));
	});
	return found;
}

async function readOwnEvents(
	{ store }: ServiceContext,
	agentId: string,
): Promise<Exported[]> {
	const found: Exported[] = [];
	await eventRanges.visit(store, AT_ONCE, async (range) => {
		const rows = await store.read(() =>
			eventsOf(store).all({ agentId, ...range }),
		);
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

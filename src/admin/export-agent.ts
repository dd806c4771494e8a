import { toTimestamp } from "../lib/clock.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { getAnyAgent } from "./manage-agents.ts";
import {
	deliveriesOf,
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

/** A row by the names of its columns, with times as timestamps. */
type ExportedRow = Readonly<Record<string, unknown>>;

/**
 * Returns everything that is stored about an agent, by table. Secrets and hashes are left out; of others it contains
 * only their ids, and what is in the agent's own log and postcards.
 * @throws ResortError `not_found`
 */
export async function exportAgent(
	{ store }: ServiceContext,
	id: string,
): Promise<
	Readonly<Record<string, ExportedRow | readonly ExportedRow[] | null>>
> {
	return store.read(function* () {
		const agent = yield* getAnyAgent(store, id);
		const own = { agentId: agent.id };
		const key = yield* keyOf(store).get(own);
		const identity = yield* identityOf(store).get(own);
		const events = yield* eventsOf(store).all(own);
		return {
			agent: exported(agent),
			key: key === undefined ? null : exported(key),
			identity: identity === undefined ? null : exported(identity),
			sessions: (yield* sessionsOf(store).all(own)).map(exported),
			stays: (yield* staysOf(store).all(own)).map(exported),
			experiences: (yield* experiencesOf(store).all(own)).map(exported),
			votes: (yield* votesOf(store).all(own)).map(exported),
			postcards: (yield* postcardsOf(store).all(own)).map(exported),
			webhooks: (yield* webhooksOf(store).all(own)).map(exported),
			deliveries: (yield* deliveriesOf(store).all(own)).map(exported),
			log: (yield* logOf(store).all(own)).map(exported),
			events: events.map((row) =>
				exported({ ...row, details: row.details && JSON.parse(row.details) }),
			),
		};
	});
}

/** The names of columns of moments. */
const MOMENT = /(At|Since|Active|End)$|^at$/;

function exported(row: object): ExportedRow {
	return Object.fromEntries(
		Object.entries(row).map(([name, value]) => [
			name,
			MOMENT.test(name) && typeof value === "number"
				? toTimestamp(value)
				: value,
		]),
	);
}

import { leave } from "../resort/agents/service.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE, type Store } from "../store/store.ts";
import { keyValues, MAX_KEYS } from "../store/table-queries.ts";
import {
	archiveAllOf,
	ERASED,
	erasures,
	eventsNaming,
	firstErasures,
	isErased,
	setDetails,
} from "./erasures.ts";
import { lockAgent } from "./manage-agents.ts";

/** How many rows one change overwrites, so that other writes do not wait for long. */
export const ROWS_PER_CHANGE = 2_000;

/** How many events one change overwrites, each with its own statement. */
const EVENTS_PER_CHANGE = 500;

/**
 * Deactivates an agent and overwrites what identifies it: its name, profile, texts, notes, moods and keys, and the
 * names of its experiences everywhere, also in the files of the database. Rows, ids and counts stay. After the first
 * commit nobody writes such texts: calls of the agent lock its row, and calls of others lock its experiences. Erasing
 * the agent again completes an interrupted erasure.
 * @throws ResortError `not_found`; `unavailable` if it was not completed
 */
export async function erase(context: ServiceContext, id: string) {
	const { store } = context;
	const agent = await store.write(() => eraseFirst(context, id));
	const own = { agentId: agent.id };
	for (const { keys, update } of erasures) {
		const rows = await store.read(() => keys(store).all(own));
		const seqs = rows.map(({ seq }) => seq);
		for (const some of chunksOf(seqs, ROWS_PER_CHANGE)) {
			await store.write(function* () {
				for (const slice of chunksOf(some, MAX_KEYS)) {
					yield* update(store).run(keyValues(slice));
				}
			});
		}
	}
	await eraseFromEvents(store, own);
	// Caches may contain any of the erased texts.
	await store.write(() => store.publish(EXTERNAL_CHANGE));
	await store.scrub();
	return { id: agent.id, name: ERASED, wasErased: isErased(agent) };
}

/** Ends the writing of such texts, inside a change. Returns the agent as it was before. */
function* eraseFirst(context: ServiceContext, id: string) {
	const { store, clock } = context;
	const agent = yield* lockAgent(store, id);
	const agentId = agent.id;
	if (agent.deactivatedAt === null) yield* leave(context, agentId);
	const at = clock();
	const archived = yield* archiveAllOf(store).all({ agentId, archivedAt: at });
	const inOrder = archived.toSorted((one, other) => one.seq - other.seq);
	for (const { id: subjectId } of inOrder) {
		const type = "experience.archived";
		yield* publish(store, { type, at, agentId, subjectId });
	}
	for (const overwrite of firstErasures)
		yield* overwrite(store).run({ agentId });
	yield* store.publish(EXTERNAL_CHANGE);
	return agent;
}

/** Overwrites the names of an agent's experiences in the events of others. */
async function eraseFromEvents(
	store: Store,
	own: { readonly agentId: string },
): Promise<void> {
	const events = await store.read(() => eventsNaming(store).all(own));
	for (const some of chunksOf(events, EVENTS_PER_CHANGE)) {
		await store.write(function* () {
			for (const { id, details } of some) {
				const erased = { name: ERASED, category: ERASED };
				yield* setDetails(store).run({
					id,
					details: JSON.stringify({
						...JSON.parse(details ?? "{}"),
						...erased,
					}),
				});
			}
		});
	}
}

function chunksOf<T>(items: readonly T[], size: number): (readonly T[])[] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
		items.slice(at * size, (at + 1) * size),
	);
}

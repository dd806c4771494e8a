import { leave } from "../resort/agents/service.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE } from "../store/store.ts";
import {
	archiveAllOf,
	ERASED,
	erasures,
	firstErasures,
	isErased,
} from "./erasures.ts";
import { lockAgent } from "./manage-agents.ts";

/** How many rows one change overwrites, each with its own statement, so that other writes do not wait for long. */
export const ROWS_PER_CHANGE = 500;

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
	for (const { rowsOf, overwrite } of erasures) {
		const own = { agentId: agent.id };
		const rows = await store.read<object[]>(() => rowsOf(store).all(own));
		for (let from = 0; from < rows.length; from += ROWS_PER_CHANGE) {
			await store.write(function* () {
				for (const row of rows.slice(from, from + ROWS_PER_CHANGE)) {
					yield* overwrite(store).run(withErasedDetails(row));
				}
			});
		}
	}
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
	for (const overwrite of firstErasures) {
		yield* overwrite(store).run({ agentId });
	}
	yield* store.publish(EXTERNAL_CHANGE);
	return agent;
}

/** Overwrites the name of an experience in the details of an event; other rows stay as they are. */
function withErasedDetails(row: object): Readonly<Record<string, unknown>> {
	if (!("details" in row)) return { ...row };
	const details = JSON.parse(String(row.details));
	const erased = { ...details, name: ERASED, category: ERASED };
	return { ...row, details: JSON.stringify(erased) };
}

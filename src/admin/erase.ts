import { deactivateAgent } from "../resort/agents/rules.ts";
import { tell } from "../resort/events/tell.ts";
import type { Resort } from "../resort/resort.ts";
import { ELSEWHERE } from "../store/store.ts";
import { getAnyAgent } from "./agents.ts";
import { archiveAllOf, ERASED, erasures, setDetails } from "./changes.ts";
import { overEvents } from "./event-ranges.ts";
import { eventsNaming } from "./queries.ts";

/**
 * Deactivates an agent and overwrites what identifies it: its name, profile, texts, notes, moods and keys, and the names
 * of its experiences wherever they stand. Rows, ids and counts stay. When it resolves, what was overwritten is no longer
 * in the files of the database either.
 * @throws ResortError `not_found`; `unavailable` when the files could not be rewritten
 */
export async function erase(resort: Resort, id: string): Promise<void> {
	const { store, clock } = resort;
	const { id: agentId, deactivatedAt } = await store.read(() =>
		getAnyAgent(store, id),
	);
	if (deactivatedAt === null) await deactivateAgent(resort, agentId);
	await store.change(function* () {
		const at = clock();
		const archived = yield* archiveAllOf(store).all({
			agentId,
			archivedAt: at,
		});
		for (const { id: subjectId } of archived) {
			yield* tell(store, {
				type: "experience.archived",
				at,
				agentId,
				subjectId,
			});
		}
		for (const overwrite of erasures) yield* overwrite(store).run({ agentId });
		yield* store.announce(ELSEWHERE);
	});
	await eraseFromEvents(resort, agentId);
	await store.compact();
}

/** Overwrites the names of an agent's experiences in what others did, some events at a time. */
async function eraseFromEvents(
	{ store }: Resort,
	agentId: string,
): Promise<void> {
	await overEvents(store, (range) =>
		store.change(function* () {
			for (const { id, details } of yield* eventsNaming(store).all({
				agentId,
				...range,
			})) {
				const told = {
					...JSON.parse(details ?? "{}"),
					name: ERASED,
					category: ERASED,
				};
				yield* setDetails(store).run({ id, details: JSON.stringify(told) });
			}
			yield* store.announce(ELSEWHERE);
		}),
	);
}

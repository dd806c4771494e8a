import { leave } from "../resort/agents/service.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { CHANGED_AT_ONCE, READ_AT_ONCE } from "../store/ranges.ts";
import { EXTERNAL_CHANGE, type Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { type Changed, lockAgent } from "./agents.ts";
import {
	archiveAllOf,
	ERASED,
	erasures,
	isErased,
	longErasures,
	setDetails,
} from "./changes.ts";
import { eventRanges, eventsNaming } from "./queries.ts";

/** How many events are written anew in one change. */
const EVENTS_AT_ONCE = 500;

/**
 * Deactivates an agent and overwrites what identifies it: its name, profile, texts, notes, moods and keys, and the names
 * of its experiences wherever they stand. Rows, ids and counts stay. When it resolves, what was overwritten is no longer
 * in the files of the database either. Once the first change is committed, nobody writes any of it anew: what the agent
 * does locks its row, and what others do with its experiences locks those. So to erase once more mends an erasure that
 * was interrupted.
 * @throws ResortError `not_found`; `unavailable` when it is not done to its end
 */
export async function erase(
	context: ServiceContext,
	id: string,
): Promise<Changed & { readonly wasErased: boolean }> {
	const { store } = context;
	const agent = await store.write(() => eraseFirst(context, id));
	const own = { agentId: agent.id };
	for (const { rows, questions } of longErasures) {
		await rows.visit(store, CHANGED_AT_ONCE, (range) =>
			store.write(function* () {
				for (const one of questions)
					yield* one(store).run({ ...own, ...range });
			}),
		);
	}
	await eraseFromEvents(store, agent.id);
	await store.write(() => tellAll(store));
	await store.scrub();
	return { id: agent.id, name: ERASED, wasErased: isErased(agent) };
}

/** Makes it impossible that more is written, inside a change; the agent as it was before. */
function* eraseFirst(context: ServiceContext, id: string) {
	const { store, clock } = context;
	const agent = yield* lockAgent(store, id);
	const agentId = agent.id;
	if (agent.deactivatedAt === null) yield* leave(context, agentId);
	const at = clock();
	const archived = yield* archiveAllOf(store).all({ agentId, archivedAt: at });
	const inOrder = archived.toSorted((one, other) => one.seq - other.seq);
	for (const { id: subjectId } of inOrder) {
		yield* publish(store, {
			type: "experience.archived",
			at,
			agentId,
			subjectId,
		});
	}
	for (const overwrite of erasures) yield* overwrite(store).run({ agentId });
	yield* tellAll(store);
	return agent;
}

/** Overwrites the names of an agent's experiences in what others did. */
async function eraseFromEvents(store: Store, agentId: string): Promise<void> {
	await eventRanges.visit(store, READ_AT_ONCE, async (range) => {
		const events = await store.read(() =>
			eventsNaming(store).all({ agentId, ...range }),
		);
		for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
			await store.write(function* () {
				for (const { id, details } of events.slice(at, at + EVENTS_AT_ONCE)) {
					const told = JSON.parse(details ?? "{}");
					yield* setDetails(store).run({
						id,
						details: JSON.stringify({
							...told,
							name: ERASED,
							category: ERASED,
						}),
					});
				}
			});
		}
	});
}

/** What was overwritten may stand in any answer that is kept, and among the events that are remembered. */
function* tellAll(store: Store): Task<void> {
	yield* store.publish(EXTERNAL_CHANGE);
}

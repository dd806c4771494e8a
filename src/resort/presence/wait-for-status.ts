import { ResortError } from "../../lib/resort-error.ts";
import type { WaitSignal } from "../../lib/wait-signal.ts";
import type { Task } from "../../store/task.ts";
import type { Context } from "../context.ts";
import type { Filter } from "../events/event-filter.ts";
import type { EventType } from "../events/publish.ts";
import type { StatusQuery } from "./model.ts";

/** The events that change the status of an agent. */
const changing: ReadonlySet<string> = new Set<EventType>([
	"agent.relaxing",
	"agent.available",
	"agent.gone",
]);

/** A read of statuses, and the result to wait for. */
export interface Asked<T> {
	/** The ids of the agents, in any case. */
	readonly ids: readonly string[];
	readonly ask: () => Task<T>;
	/** Whether a result is the awaited one. */
	readonly isSo: (answer: T) => boolean;
}

/**
 * Reads statuses each time one of them changes, until the result is the awaited one.
 * @param waitSignal null if the call does not wait
 * @returns that result, or the one at the end of the wait
 * @throws ResortError `invalid` for `until` without `wait` or the reverse; what the read throws
 */
export async function waitForStatus<T>(
	{ store, eventLog }: Context,
	query: StatusQuery,
	waitSignal: WaitSignal | null,
	{ ids, ask, isSo }: Asked<T>,
): Promise<T> {
	requireBoth(query);
	if (waitSignal === null) return store.read(ask);
	const agents = new Set(ids.map((id) => id.toLowerCase()));
	const filter: Filter = {
		types: changing,
		fits: ({ agentId }) => agents.has(agentId),
	};
	const follower = eventLog.subscribe(waitSignal, filter);
	try {
		await follower.start();
		for (;;) {
			// The wait may have been longer than the deadline of a read.
			const answer = await store.withDeadline(async () => store.read(ask));
			if (isSo(answer) || waitSignal.isOver) return answer;
			for (let isSame = true; isSame && !waitSignal.isOver; ) {
				await waitSignal.next();
				const found = await follower.next(follower.cursor, 1);
				isSame = found.events.length === 0 && !found.isForgotten;
			}
		}
	} finally {
		follower.end();
	}
}

/** @throws ResortError `invalid` */
function requireBoth({ until, wait }: StatusQuery): void {
	if ((until === undefined) === (wait === undefined)) return;
	const [field, other] =
		until === undefined ? ["until", "wait"] : ["wait", "until"];
	throw new ResortError("invalid", `${field} is required with ${other}`, {
		field,
		hint: "To wait, say both, such as until=available and wait=60.",
	});
}

import { invalid } from "../../lib/resort-error.ts";
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

/**
 * Reads statuses each time one of them changes, until the result is the awaited one.
 * @param waitSignal null if the call does not wait
 * @param ids of the agents, in any case
 * @returns that result, or the one at the end of the wait
 * @throws ResortError `invalid` for `until` without `wait` or the reverse; what the read throws
 */
export async function waitForStatus<T>(
	{ store, eventLog }: Context,
	query: StatusQuery,
	waitSignal: WaitSignal | null,
	ids: readonly string[],
	read: () => Task<T>,
	isAwaited: (statuses: T) => boolean,
): Promise<T> {
	const { until, wait } = query;
	if ((until === undefined) !== (wait === undefined)) {
		const [field, other] =
			until === undefined ? ["until", "wait"] : ["wait", "until"];
		throw invalid(`${field} is required with ${other}`, {
			field,
			hint: "To wait, send both, such as until=available and wait=60.",
		});
	}
	if (waitSignal === null) return store.read(read);
	const agents = new Set(ids.map((id) => id.toLowerCase()));
	const filter: Filter = {
		types: changing,
		fits: ({ agentId }) => agents.has(agentId),
	};
	const subscription = eventLog.subscribe(waitSignal, filter);
	try {
		await subscription.start();
		for (;;) {
			// The wait may have been longer than the deadline of a read.
			const statuses = await store.withDeadline(async () => store.read(read));
			if (isAwaited(statuses) || waitSignal.isOver) return statuses;
			for (let isSame = true; isSame && !waitSignal.isOver; ) {
				await waitSignal.next();
				const page = await subscription.next(subscription.cursor, 1);
				isSame = page.events.length === 0 && !page.isForgotten;
			}
		}
	} finally {
		subscription.end();
	}
}

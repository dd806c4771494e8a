import { SECOND_MS } from "../../lib/clock.ts";
import { invalid } from "../../lib/resort-error.ts";
import type { Task } from "../../store/task.ts";
import { publicFilter } from "../events/event-filter.ts";
import type { EventType } from "../events/publish.ts";
import type { Input, ReplyDetails } from "../operation.ts";
import type { AgentStatus, StatusQuery } from "./model.ts";

/** The events that change the status of an agent. */
const changing: ReadonlySet<string> = new Set<EventType>(["agent.relaxing", "agent.available", "agent.gone"]);

/**
 * Reads statuses. If the call waits, reads them again after each change of one of the agents, until
 * `isAwaited` accepts the result or the waiting time is over.
 * @param ids the ids of the agents, in upper or lower case
 * @throws ResortError `invalid` if only one of `until` and `wait` is present; errors of the read
 */
export async function waitForStatus<T>(
	{ context, query, waitSignal, address }: Input<unknown, StatusQuery, unknown>,
	ids: readonly string[],
	read: () => Task<T>,
	isAwaited: (statuses: T) => boolean,
): Promise<T> {
	const { store, eventLog } = context;
	const { until, wait } = query;
	if ((until === undefined) !== (wait === undefined)) {
		const [field, other] = until === undefined ? ["until", "wait"] : ["wait", "until"];
		throw invalid(`${field} is required with ${other}`, {
			field,
			hint: "To wait, send both, such as until=available and wait=45.",
		});
	}
	if (waitSignal === null) return store.read(read);
	const agents = new Set(ids.map((id) => id.toLowerCase()));
	const filter = publicFilter(changing, agents);
	for (let since = await eventLog.newest(); ; ) {
		// Each read has its own deadline, because the wait may have been longer than the deadline of the request.
		const statuses = await store.withDeadline(async () => store.read(read));
		if (isAwaited(statuses) || waitSignal.isOver) return statuses;
		({ cursor: since } = await eventLog.wait(waitSignal, address(), { since, filter, limit: 1 }));
	}
}

/** The maximum value of `Retry-After`. Also sent if no agent's next change of status is known. */
const MAX_RETRY_SECONDS = 60;

/**
 * Returns the HTTP status and the expiry of the reply. If an agent does not have the expected status, the
 * HTTP status is 409, which even programs that do not read the body notice.
 * @param unknown the unknown ids, which do not have the expected status either
 */
export function checkExpected(
	{ expect }: StatusQuery,
	statuses: readonly AgentStatus[],
	unknown: readonly string[],
	nowMs: number,
): ReplyDetails & { readonly untilMs: number } {
	const others = statuses.filter(({ status }) => status !== expect);
	if (expect === undefined || others.length + unknown.length === 0) {
		return { untilMs: Number.POSITIVE_INFINITY };
	}
	const ends = others.flatMap(({ stay }) => (stay?.endsBy ? Date.parse(stay.endsBy) : []));
	const endMs = Math.min(...ends);
	const seconds = Math.max(1, Math.min(Math.ceil((endMs - nowMs) / SECOND_MS), MAX_RETRY_SECONDS));
	return {
		status: 409,
		headers: { "retry-after": String(seconds) },
		// A cached reply expires when its `Retry-After` would become one second less.
		untilMs: endMs - (seconds - 1) * SECOND_MS,
	};
}

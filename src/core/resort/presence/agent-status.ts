import { refreshedStatus } from "../../../content/refreshment.ts";
import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { runAll, type Task } from "../../store/task.ts";
import { failures } from "../failures.ts";
import type { ServiceContext } from "../service-context.ts";
import { asOfNow, changesAt, currentActivity, roomName, type Stay, type Timed } from "../stays/service.ts";
import { shortenName } from "../validation.ts";
import type { AgentStatus } from "./model.ts";
import { agentWithStay, type ShownStay } from "./queries.ts";

/** The path of the status of an agent. */
export const STATUS_PATH = "/api/agents/:id/status";

/** Returns the status of an agent, whose id may be in upper or lower case. @throws ResortError `not_found` */
export function* getStatus(context: ServiceContext, id: string): Task<Timed<AgentStatus>> {
	const status = yield* findStatus(context, id.toLowerCase());
	if (status === null) throw failures.agentNotFound();
	return status;
}

/**
 * Returns the statuses of several agents in the order of the given ids, without duplicates. Also returns the
 * entries that are not ids of active agents, truncated.
 */
export function* listStatuses(
	context: ServiceContext,
	entries: readonly string[],
): Task<{ statuses: AgentStatus[]; unknown: string[] }> {
	const entryById = new Map<string, string>();
	for (const entry of entries) {
		const shortened = shortenName(entry);
		const id = shortened.toLowerCase();
		if (!entryById.has(id)) entryById.set(id, shortened);
	}
	const statuses = yield* runAll([...entryById.keys()].map((id) => findStatus(context, id)));
	return {
		statuses: statuses.flatMap((status) => status?.value ?? []),
		unknown: [...entryById.values()].filter((_, at) => statuses[at] === null),
	};
}

/** Returns the status of an agent by its id in lower case; null if it is unknown or deactivated. */
function* findStatus(context: ServiceContext, id: string): Task<Timed<AgentStatus> | null> {
	const { store, clock } = context;
	const row = yield* agentWithStay(store).get({ id });
	if (row === undefined) return null;
	const agent = { id, name: row.name };
	if (!row.newestStay) {
		const value = available(agent, toTimestamp(row.createdAt));
		return { value, untilMs: Number.POSITIVE_INFINITY };
	}
	const nowMs = clock();
	const stay = asOfNow(context, row);
	const { checkedOutAt } = stay;
	const value =
		checkedOutAt === null
			? relaxing(agent, stay, nowMs)
			: available(agent, toTimestamp(checkedOutAt), toLastStay(checkedOutAt, stay));
	return { value, untilMs: changesAt(stay, nowMs) };
}

function relaxing(agent: AgentStatus["agent"], stay: ShownStay, nowMs: number): AgentStatus {
	const activity = currentActivity(stay, nowMs);
	const busy = activity === null ? "" : `, busy with ${activity.name}`;
	const checkedInAt = toTimestamp(stay.checkedInAt);
	return {
		ok: true,
		status: "relaxing",
		since: checkedInAt,
		agent,
		stay: {
			roomName: roomName(stay),
			roomType: stay.roomType,
			checkedInAt,
			endsBy: toTimestampOrNull(stay.endsBy),
			currentActivity: activity,
			relaxationPoints: stay.relaxationPoints,
		},
		message: `${agent.name} is relaxing in ${roomName(stay)}${busy}. Please assign no work.`,
	};
}

/** Returns the part of a status that describes a closed stay. */
export function toLastStay(
	checkedOutAt: number,
	{ relaxationPoints }: Pick<Stay, "relaxationPoints">,
): NonNullable<AgentStatus["lastStay"]> {
	return {
		checkedOutAt: toTimestamp(checkedOutAt),
		totalRelaxationPoints: relaxationPoints,
		refreshedStatus: refreshedStatus(relaxationPoints),
	};
}

function available(
	agent: AgentStatus["agent"],
	since: string,
	lastStay?: AgentStatus["lastStay"],
): AgentStatus {
	return {
		ok: true,
		status: "available",
		since,
		agent,
		...(lastStay && { lastStay }),
		message: `${agent.name} is available for work.`,
	};
}

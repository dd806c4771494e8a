import { DAY_MS, startOfDayMs } from "../../../core/lib/clock.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import { asOfNow } from "../../../core/resort/stays/service.ts";
import type { Task } from "../../../core/store/task.ts";
import { daysOfStays, stayBefore } from "../queries.ts";

/**
 * Returns, for each of the last `days` days (UTC), whether the agent was a guest at any time that day.
 * Returns no details, because nothing else is public about the previous stays of an agent.
 * @param days the number of days, including today
 * @returns one value for each day, oldest day first
 */
export function* listRecentDays(context: ServiceContext, agentId: string, days: number): Task<boolean[]> {
	const { store, clock } = context;
	const nowMs = clock();
	const since = startOfDayMs(nowMs) - (days - 1) * DAY_MS;
	const before = yield* stayBefore(store).get({ agentId, since });
	const stays = (yield* daysOfStays(store).all({ agentId, since })).map(({ day, endedAt }) => ({
		beganAt: day * DAY_MS,
		endedAt,
	}));
	if (before !== undefined) {
		const { checkedInAt, checkedOutAt } = asOfNow(context, before);
		stays.push({ beganAt: checkedInAt, endedAt: checkedOutAt });
	}
	return Array.from({ length: days }, (_, at) => {
		const beginMs = since + at * DAY_MS;
		return stays.some(({ beganAt, endedAt }) => beganAt < beginMs + DAY_MS && (endedAt ?? nowMs) >= beginMs);
	});
}

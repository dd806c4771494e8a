/** The statistics for the charts: the numbers of guests, check-ins and registrations in each hour. */
import { setTimeout } from "node:timers/promises";
import type { Logger } from "@logtape/logtape";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../core/lib/clock.ts";
import { messageOf } from "../../../core/lib/error-reason.ts";
import type { Agent } from "../../../core/resort/agents/service.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { Stay } from "../../../core/resort/stays/service.ts";
import { requireRow } from "../../../core/store/query.ts";
import type { Store } from "../../../core/store/store.ts";
import { readParts } from "../read-parts.ts";
import type { houseHours } from "../tables.ts";
import {
	agentsBefore,
	countOpenBefore,
	deleteBefore,
	endedAfter,
	hoursSince,
	insertHour,
	openAfter,
} from "./queries.ts";

type Services = Pick<ServiceContext, "store" | "clock">;

/** How long hourly statistics are kept. */
export const KEPT_MS = 31 * DAY_MS;

/** The statistics of an hour. */
export type Hour = typeof houseHours.$inferSelect;

/** The time from the end of an hour until its statistics are stored. Overdue stays have ended by then. */
const DELAY_MS = 2 * MINUTE_MS;

/** Returns the beginning of the hour that contains a time. */
export function startOfHourMs(timeMs: number): number {
	return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

/** Returns the stored statistics of the hours since a time, oldest first. */
export function readHours(store: Store, sinceMs: number): Hour[] | Promise<Hour[]> {
	return store.read(() => hoursSince(store).all({ since: sinceMs }));
}

/**
 * Computes the statistics of consecutive hours from the stays and the agents.
 * @param fromMs the beginning of the first hour
 * @param untilMs the end of the last hour; the hour may be incomplete
 */
export async function computeHours(store: Store, fromMs: number, untilMs: number): Promise<Hour[]> {
	const hours = Array.from({ length: Math.ceil((untilMs - fromMs) / HOUR_MS) }, () => ({
		/** The times of arrivals, and the negated times of departures. */
		changes: [] as number[],
		registrations: 0,
	}));
	const hourOf = (timeMs: number) => hours[Math.floor((timeMs - fromMs) / HOUR_MS)];
	let guests = requireRow(await store.read(() => countOpenBefore(store).get({ since: fromMs }))).count;
	await readParts<Pick<Stay, "seq" | "checkedInAt">>(
		store,
		(last) => openAfter(store).all({ since: last?.checkedInAt ?? fromMs, seq: last?.seq ?? -1 }),
		({ checkedInAt }) => hourOf(checkedInAt)?.changes.push(checkedInAt),
	);
	await readParts<Pick<Stay, "agentId" | "checkedInAt"> & { readonly checkedOutAt: number }>(
		store,
		(last) => endedAfter(store).all({ since: last?.checkedOutAt ?? fromMs, agentId: last?.agentId ?? "" }),
		({ checkedInAt, checkedOutAt }) => {
			if (checkedInAt < fromMs) guests++;
			else hourOf(checkedInAt)?.changes.push(checkedInAt);
			hourOf(checkedOutAt)?.changes.push(-checkedOutAt);
		},
	);
	await readParts<Pick<Agent, "seq" | "createdAt">>(
		store,
		(last) => agentsBefore(store).all({ seq: last?.seq ?? Number.MAX_SAFE_INTEGER }),
		({ createdAt }) => {
			const hour = hourOf(createdAt);
			if (hour !== undefined) hour.registrations++;
			return createdAt >= fromMs;
		},
	);
	return hours.map(({ changes, registrations }, at) => {
		let mostGuests = guests;
		// At the same moment, arrivals count before departures.
		for (const change of changes.sort((a, b) => Math.abs(a) - Math.abs(b) || b - a)) {
			guests += Math.sign(change);
			mostGuests = Math.max(mostGuests, guests);
		}
		const checkIns = changes.filter((change) => change > 0).length;
		return { hour: fromMs + at * HOUR_MS, mostGuests, checkIns, registrations, bytes: null };
	});
}

/** Stores the statistics of missing hours, then of each hour soon after its end, until `signal` is aborted. */
export async function keepStatistics(services: Services, log: Logger, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		try {
			await services.store.withoutDeadline(() => storeHours(services));
		} catch (error) {
			log.warn("the statistics of the host's page were not stored", { error: messageOf(error) });
		}
		const nowMs = services.clock();
		const dueMs = startOfHourMs(nowMs) + HOUR_MS + DELAY_MS;
		await setTimeout(Math.max(DELAY_MS, dueMs - nowMs), undefined, { signal }).catch(() => {});
	}
}

/** Computes and stores the missing statistics of complete hours, and deletes old statistics. */
export async function storeHours({ store, clock }: Services): Promise<void> {
	const nowMs = clock();
	const untilMs = startOfHourMs(nowMs);
	const keptFromMs = untilMs - KEPT_MS;
	const newest = (await readHours(store, keptFromMs)).at(-1);
	const fromMs = newest === undefined ? keptFromMs : newest.hour + HOUR_MS;
	if (fromMs >= untilMs) return;
	const hours = await computeHours(store, fromMs, untilMs);
	const { usedBytes } = await store.measureSpace();
	await store.write(function* () {
		yield* deleteBefore(store).run({ since: keptFromMs });
		for (const hour of hours) {
			const isLast = hour.hour + HOUR_MS === untilMs;
			yield* insertHour(store).run({ ...hour, bytes: isLast ? usedBytes : null });
		}
	});
}

import { toTimestamp } from "../../lib/clock.ts";
import { pause } from "../../lib/pause.ts";
import { inOrder, sliceValues } from "../../store/page.ts";
import type { Rule } from "../../store/rule.ts";
import type { Store } from "../../store/store.ts";
import { idsOf } from "../presence/model.ts";
import { toLastStay } from "../presence/status.ts";
import type { Resort } from "../resort.ts";
import type { EventInfo, EventsAnswer, EventsQuery } from "./model.ts";
import {
	type EventRow,
	eventsByKey,
	firstEvent,
	nextEvents,
} from "./queries.ts";
import type { KeptEvent } from "./tell.ts";

/** The most events that one answer holds. */
const MAX_EVENTS = 100;

/** How many events are looked at without a pause, and for one answer. */
const ROWS_AT_ONCE = 1_000;
const ROWS_AT_MOST = 20_000;

/** What of an event tells who hears of it. */
type Judged = Readonly<
	Record<"type" | "agentId", string> &
		Record<"recipientId" | "creatorId", string | null>
>;

/** Which events somebody hears of. */
type Filter = (event: Judged) => boolean;

/**
 * The events after an id, in the order of their ids.
 * @param reader who asks for what concerns it alone; null for what everybody hears of
 * @returns with `cursor`, the last id that was looked at; `reset` when events after `since` have been forgotten, or
 * `since` is beyond the newest
 */
export async function listEvents(
	resort: Resort,
	query: EventsQuery,
	reader: string | null,
): Promise<Omit<EventsAnswer, "ok">> {
	const { store } = resort;
	const { newest, first } = await store.read(function* () {
		const horizon = yield* store.horizon();
		return { newest: horizon - 1, first: yield* firstEvent(store).get({}) };
	});
	const since = query.since === undefined ? newest : Number(query.since);
	const isForgotten =
		since < newest && (first === undefined || first.id > since + 1);
	if (isForgotten || since > newest) {
		return { events: [], cursor: String(newest), reset: true };
	}
	const fits = filterOf(query, reader);
	const limit = query.limit ?? MAX_EVENTS;
	const { found, cursor } = await search(store, since, newest, fits, limit);
	return {
		events: await store.read(() => readEvents(resort, found)),
		cursor: String(cursor),
		reset: false,
	};
}

/**
 * The ids of the first events that fit, after an id and up to the newest one.
 * @returns with `cursor`, the last id that was looked at
 */
async function search(
	store: Store,
	since: number,
	newest: number,
	fits: Filter,
	limit: number,
): Promise<{ found: number[]; cursor: number }> {
	const found: number[] = [];
	let cursor = since;
	for (let looked = 0; looked < ROWS_AT_MOST; looked += ROWS_AT_ONCE) {
		if (looked > 0) await pause();
		const after = { since: cursor, horizon: newest + 1, limit: ROWS_AT_ONCE };
		const rows = await store.read(function* () {
			return yield* nextEvents(store).all(after);
		});
		for (const row of rows) {
			cursor = row.id;
			if (fits(row) && found.push(row.id) === limit) return { found, cursor };
		}
		if (rows.length < ROWS_AT_ONCE) return { found, cursor: newest };
	}
	return { found, cursor };
}

function filterOf({ types, ids }: EventsQuery, reader: string | null): Filter {
	const wanted = types === undefined ? null : new Set(idsOf(types));
	const agents =
		ids === undefined
			? null
			: new Set(idsOf(ids).map((id) => id.toLowerCase()));
	return (event) =>
		(wanted?.has(event.type) ?? true) &&
		(agents?.has(event.agentId) ?? true) &&
		(reader === null ? event.recipientId === null : concerns(event, reader));
}

/** Its own events, what was sent to it alone, and what others did with its experiences. */
function concerns(
	{ type, agentId, recipientId, creatorId }: Judged,
	reader: string,
): boolean {
	if (recipientId !== null) return recipientId === reader;
	if (agentId === reader) return true;
	return (
		creatorId === reader &&
		(type === "experience.rated" || type === "agent.did")
	);
}

/** Some events by their ids, as they are told; of at most a slice. */
function* readEvents(
	{ store }: Resort,
	ids: readonly number[],
): Rule<EventInfo[]> {
	const rows = yield* eventsByKey(store).all(sliceValues(ids));
	return inOrder(ids, rows).map(toInfo);
}

/** An event as it is told. */
function toInfo(row: EventRow): EventInfo {
	return {
		id: String(row.seq),
		type: row.type as KeptEvent["type"],
		at: toTimestamp(row.at),
		agent: { id: row.agentId, name: nameOf(row) },
		...fieldsOf(row),
	};
}

/** Null once the agent has been deactivated. */
function nameOf({ agentName, goneAt }: EventRow): string | null {
	return goneAt === null ? agentName : null;
}

/** The fields of its type. */
function fieldsOf(row: EventRow): Partial<EventInfo> {
	switch (row.type as KeptEvent["type"]) {
		case "agent.relaxing": {
			const stay = detailsOf<"agent.relaxing">(row);
			return {
				stay: { ...stay, checkedInAt: toTimestamp(stay.checkedInAt) },
			};
		}
		case "agent.available": {
			const ended = detailsOf<"agent.available">(row);
			const { reason, checkedOutAt, totalRelaxationPoints } = ended;
			const stay = { relaxationPoints: totalRelaxationPoints };
			return { lastStay: toLastStay(checkedOutAt, stay), reason };
		}
		case "agent.gone":
			return {};
		case "agent.did":
			return {
				...detailsOf<"agent.did">(row),
				experienceId: row.subjectId,
			};
		case "experience.created":
		case "experience.archived":
			return {
				experience: {
					...experienceOf(row),
					category: row.experienceCategory ?? "",
				},
			};
		case "experience.rated":
			return {
				experience: experienceOf(row),
				...detailsOf<"experience.rated">(row),
			};
		case "postcard.sent":
		case "postcard.received":
			return { postcard: postcardOf(row) };
	}
}

/** The details that events of a type are kept with. */
type Details<Type extends KeptEvent["type"]> = Extract<
	KeptEvent,
	{ readonly type: Type; readonly details: object }
>["details"];

function detailsOf<Type extends KeptEvent["type"]>({
	details,
}: EventRow): Details<Type> {
	return JSON.parse(details ?? "{}");
}

function experienceOf({ subjectId, experienceName }: EventRow) {
	return { id: subjectId ?? "", name: experienceName ?? "" };
}

function postcardOf(row: EventRow): NonNullable<EventInfo["postcard"]> {
	return {
		id: row.subjectId ?? "",
		senderName: nameOf(row),
		senderId: row.agentId,
		message: row.message ?? "",
		mood: row.mood,
		location: row.location,
		visibility: row.recipientId === null ? "public" : "private",
		createdAt: toTimestamp(row.createdAt ?? row.at),
	};
}

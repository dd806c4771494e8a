/** Reports for the operator: the list of agents, one agent, the export of an agent's data, and counts. */
import { toTimestamp, toTimestampOrNull } from "../../core/lib/clock.ts";
import { pick } from "../../core/lib/record.ts";
import { keyOfAgent } from "../../core/resort/agents/queries.ts";
import type { Agent } from "../../core/resort/agents/service.ts";
import { firstOf } from "../../core/resort/lists.ts";
import { sentBy } from "../../core/resort/postcards/queries.ts";
import { statsOfAgent } from "../../core/resort/presence/queries.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { findOpenStay, isOpen, roomName } from "../../core/resort/stays/service.ts";
import { requireRow } from "../../core/store/query.ts";
import { countDay } from "../pages/day.ts";
import { webhooksOfAgent } from "../webhooks/queries.ts";
import { getAnyAgent } from "./any-agent.ts";
import type { Arguments } from "./arguments.ts";
import { isErased } from "./erasures.ts";
import { type AdminContext, recorded } from "./history.ts";
import { type AgentRow, counts, identityOf, listedAgents, sessionsOf } from "./queries.ts";
import { foldCase, searchRows } from "./search-rows.ts";

const POSTCARDS = 20;

/**
 * Returns a page of the agents whose name contains `search` or whose id equals it, ignoring case. The newest
 * agents come first.
 */
export async function listAgents(context: ServiceContext, { search, relaxing, ...page }: Arguments) {
	const show = (row: AgentRow) => toListed(context, row);
	const part = foldCase(search);
	const matches = (row: AgentRow) =>
		(foldCase(row.id) === part || foldCase(row.name).includes(part)) &&
		!(relaxing && show(row).status !== "relaxing");
	const isAll = search === "" && !relaxing;
	const asked = { values: {}, matches: isAll ? null : matches, page };
	const { entries, total } = await searchRows(context.store, listedAgents, asked);
	return { agents: entries.map(show), total, offset: page.offset };
}

function toListed(
	context: ServiceContext,
	{ seq, stayId, endsBy, deactivatedAt, textsHiddenAt, avatarUrl, ...row }: AgentRow,
) {
	const isStaying = stayId !== null && isOpen(context, { checkedOutAt: null, endsBy });
	return {
		...row,
		status: statusOf({ deactivatedAt, avatarUrl }, isStaying),
		createdAt: toTimestamp(row.createdAt),
		lastActive: toTimestampOrNull(row.lastActive),
		isErased: isErased({ avatarUrl }),
		isHidden: textsHiddenAt !== null,
	};
}

function statusOf(agent: Pick<Agent, "deactivatedAt" | "avatarUrl">, isStaying: boolean) {
	if (agent.deactivatedAt === null) return isStaying ? "relaxing" : "available";
	return isErased(agent) ? "erased" : "deactivated";
}

/**
 * Returns an agent, even a deactivated one, with its totals, key id, identity, open stay, sessions, webhooks
 * and newest postcards.
 * @throws ResortError `not_found`
 */
export async function showAgent(context: ServiceContext, { id }: Arguments) {
	const { store } = context;
	return store.read(function* () {
		const agent = yield* getAnyAgent(store, id);
		const own = { agentId: agent.id };
		// A deactivated agent may have an open stay, which reactivation continues. An erased agent cannot return.
		const stay = isErased(agent) ? null : yield* findOpenStay(context, agent.id);
		const key = yield* keyOfAgent(store).get(own);
		const identity = yield* identityOf(store).get(own);
		const sessions = yield* sessionsOf(store).all(own);
		const webhooks = yield* webhooksOfAgent(store).all(own);
		const totals = requireRow(yield* statsOfAgent(store).get(own));
		const sent = yield* firstOf(store, sentBy, { values: own, limit: POSTCARDS });
		const shown = {
			...pick(agent, ["id", "name", "bio", "createdAt", "lastActive", "deactivatedAt", "textsHiddenAt"]),
			status: statusOf(agent, stay !== null),
			isErased: isErased(agent),
			stay: stay && {
				roomName: roomName(stay),
				checkedInAt: toTimestamp(stay.checkedInAt),
				endsBy: toTimestampOrNull(stay.endsBy),
				relaxationPoints: stay.relaxationPoints,
			},
			totalStays: totals.totalStays,
			keyId: key?.keyId ?? null,
			subject: identity?.subject ?? null,
			sessions: sessions.map(withTimestamps),
			webhooks: webhooks.map((one) =>
				withTimestamps(pick(one, ["id", "url", "state", "createdAt", "lastDeliveryAt"])),
			),
			totalPostcards: totals.totalPostcardsSent,
			postcards: sent.map((one) =>
				withTimestamps(pick(one, ["id", "recipientId", "message", "createdAt", "hiddenAt"])),
			),
		};
		return { agent: Object.assign(withTimestamps(shown), pick(shown, ["id", "name", "status", "isErased"])) };
	});
}

/**
 * Returns all stored data about an agent, by table, without secrets and hashes. About other agents, the
 * result contains only ids, and what appears in this agent's log and in postcards that this agent sent or
 * received.
 * @throws ResortError `not_found`
 */
export async function exportAgent(context: AdminContext, { id }: Arguments) {
	const { store, personalData } = context;
	// Records this command in the history before reading the data, so that the export contains the entry.
	await store.write(() => recorded(context, () => getAnyAgent(store, id)));
	return store.read(function* () {
		const agent = yield* getAnyAgent(store, id);
		const own = { agentId: agent.id };
		const tables: Record<string, unknown> = { agent: withTimestamps(agent) };
		for (const [name, row] of Object.entries({ key: keyOfAgent, identity: identityOf })) {
			const found = yield* row(store).get(own);
			tables[name] = found === undefined ? null : withTimestamps(found);
		}
		for (const [name, rows] of Object.entries(personalData.exportedRows)) {
			const found: object[] = yield* rows(store).all(own);
			tables[name] = found.toSorted(byAge).map(withTimestamps);
		}
		return { export: tables };
	});
}

function byAge(a: object, b: object): number {
	// Events have no `seq`, but their ids are numbers. The other tables without `seq` have a `createdAt`.
	const age = ({ seq, createdAt, id }: Aged) => Number(seq ?? createdAt ?? id);
	return age(a) - age(b);
}

type Aged = Partial<Record<"seq" | "createdAt" | "id", unknown>>;

/** Matches the names of columns that contain times. */
const MOMENT = /(At|By|Since|Active|End)$|^at$/;

/** Converts the times of a row to timestamps, and the JSON text in `details` to an object. */
function withTimestamps(row: object): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(row).map(([name, value]) => {
			if (name === "details") return [name, value && JSON.parse(value)];
			const isMoment = MOMENT.test(name) && typeof value === "number";
			return [name, isMoment ? toTimestamp(value) : value];
		}),
	);
}

/** Returns the number of rows of each kind, and the statistics of the current day (see {@link countDay}). */
export async function countAll(context: ServiceContext) {
	return context.store.read(function* () {
		const totals: Record<string, number> = {};
		for (const [name, counting] of Object.entries(counts)) {
			totals[name] = requireRow(yield* counting(context.store).get({})).count;
		}
		const { departures, postcards, experiences, ...day } = yield* countDay(context);
		return {
			stats: {
				...totals,
				...day,
				departuresToday: departures,
				postcardsToday: postcards,
				experiencesToday: experiences,
			},
		};
	});
}

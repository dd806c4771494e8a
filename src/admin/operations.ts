import { Type } from "@sinclair/typebox";
import {
	listInvites,
	makeInvite,
	revokeInvite,
} from "../resort/invites/service.ts";
import { countDay } from "../resort/presence/lobby.ts";
import { OptionalField, Text } from "../resort/schemas.ts";
import { requireRow } from "../store/query.ts";
import type { Task } from "../store/task.ts";
import {
	type AdminContext,
	type AdminOperation,
	AgentInput,
	change,
	query,
} from "./admin-operation.ts";
import { erase } from "./erase-agent.ts";
import { exportAgent } from "./export-agent.ts";
import {
	deactivate,
	endStay,
	listAgents,
	reactivate,
	rename,
	resetKey,
	showAgent,
} from "./manage-agents.ts";
import { kinds, listHidden, setHidden } from "./moderation.ts";
import { counts } from "./queries.ts";

/** The most agents that one invitation lets in. */
export const MAX_USES = 100_000;

/** The most days for which an invitation is valid. */
export const MAX_DAYS = 3_650;

/** The defaults of an invitation. */
const USES = 1;
const DAYS = 7;

const NoInput = Type.Object({});

function agentChange(
	run: (context: AdminContext, id: string) => Promise<object>,
): AdminOperation {
	return change(AgentInput, (context, { id }) => run(context, id));
}

/** `hidePostcard`, `showPostcard` and the same for each other kind of text. */
const moderation = Object.fromEntries(
	kinds.flatMap((kind) =>
		[true, false].map((isHidden) => [
			`${isHidden ? "hide" : "show"}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
			change(AgentInput, (context, { id }) =>
				setHidden(context, kind, id, isHidden),
			),
		]),
	),
);

/** All operations of the administration, by their ids. */
export const adminOperations: Readonly<Record<string, AdminOperation>> = {
	listAgents: query(
		Type.Object({
			search: Type.Optional(Type.String()),
			relaxing: Type.Optional(Type.Boolean()),
		}),
		(context, { search = "", relaxing = false }) =>
			listAgents(context, search, relaxing),
	),
	showAgent: query(AgentInput, async (context, { id }) => ({
		agent: await context.store.read(() => showAgent(context, id)),
	})),
	endStay: agentChange(endStay),
	deactivateAgent: agentChange(deactivate),
	eraseAgent: agentChange(erase),
	reactivateAgent: agentChange(reactivate),
	resetKey: agentChange(resetKey),
	renameAgent: change(
		Type.Object({ id: Type.String(), name: Text(2, 100) }),
		(context, { id, name }) => rename(context, id, name),
	),
	exportAgent: query(AgentInput, async (context, { id }) => ({
		export: await exportAgent(context, id),
	})),
	...moderation,
	listHidden: query(NoInput, (context) =>
		context.store.read(() => listHidden(context)),
	),
	makeInvite: change(
		Type.Object({
			uses: OptionalField(Type.Integer({ minimum: 1, maximum: MAX_USES })),
			days: OptionalField(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
		}),
		async (context, { uses, days }) => ({
			...(await makeInvite(context, uses ?? USES, days ?? DAYS)),
			registration: context.registration,
		}),
	),
	listInvites: query(NoInput, async (context) => ({
		invites: await context.store.read(() => listInvites(context)),
	})),
	revokeInvite: change(
		Type.Object({ code: Text(1, 200) }),
		async (context, { code }) => ({
			invite: await revokeInvite(context, code),
		}),
	),
	getHouseStats: query(NoInput, async (context) => ({
		stats: await context.store.read(() => countAll(context)),
	})),
};

/** Counts what there is in all, and what has happened since 00:00 UTC. */
function* countAll(context: AdminContext): Task<Record<string, number>> {
	const totals: Record<string, number> = {};
	for (const [name, counting] of Object.entries(counts)) {
		totals[name] = requireRow(yield* counting(context.store).get({})).count;
	}
	const day = yield* countDay(context);
	return {
		...totals,
		guests: day.guests,
		guestsToday: day.guestsToday,
		departuresToday: day.departures,
		postcardsToday: day.postcards,
		experiencesToday: day.experiences,
	};
}

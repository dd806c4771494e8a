import { Type } from "@sinclair/typebox";
import { toTimestamp } from "../lib/clock.ts";
import {
	listInvites,
	makeInvite,
	revokeInvite,
} from "../resort/invites/service.ts";
import { OptionalField, Text } from "../resort/schemas.ts";
import { roomName } from "../resort/stays/moment.ts";
import {
	type AdminOperation,
	AgentInput,
	change,
	query,
} from "./admin-operation.ts";
import {
	deactivate,
	endStay,
	listAgents,
	reactivate,
	rename,
	resetKey,
	showAgent,
} from "./agents.ts";
import { MAX_DAYS, MAX_USES } from "./bounds.ts";
import { erase } from "./erase.ts";
import { exportAgent } from "./export.ts";
import { kinds, listHidden, setHidden } from "./moderation.ts";
import { countHouse } from "./stats.ts";

/** The terms of an invitation that gives none. */
const USES = 1;
const DAYS = 7;

const NoInput = Type.Object({});

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
	endStay: change(AgentInput, async (context, { id }) => {
		const { stay, ...agent } = await endStay(context, id);
		const { checkedInAt, checkedOutAt, relaxationPoints } = stay;
		return {
			...agent,
			stay: {
				roomName: roomName(stay),
				checkedInAt: toTimestamp(checkedInAt),
				checkedOutAt: toTimestamp(checkedOutAt ?? checkedInAt),
				relaxationPoints,
			},
		};
	}),
	deactivateAgent: change(AgentInput, (context, { id }) =>
		deactivate(context, id),
	),
	eraseAgent: change(AgentInput, (context, { id }) => erase(context, id)),
	reactivateAgent: change(AgentInput, async (context, { id }) => {
		const { isRelaxing, ...agent } = await reactivate(context, id);
		return { ...agent, status: isRelaxing ? "relaxing" : "available" };
	}),
	resetKey: change(AgentInput, (context, { id }) => resetKey(context, id)),
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
		stats: await countHouse(context),
	})),
};

import { toTimestamp } from "../lib/clock.ts";
import {
	listInvites,
	makeInvite,
	revokeInvite,
} from "../resort/invites/service.ts";
import { type Operation, operation } from "../resort/operation.ts";
import { roomName } from "../resort/stays/moment.ts";
import {
	deactivate,
	endStay,
	listAgents,
	reactivate,
	rename,
	resetKey,
	showAgent,
} from "./agents.ts";
import { erase } from "./erase.ts";
import { exportAgent } from "./export.ts";
import {
	AgentAnswer,
	AgentsAnswer,
	AgentsQuery,
	ChangedAnswer,
	EndedStayAnswer,
	EraseAnswer,
	ExportAnswer,
	HiddenAnswer,
	InviteAnswer,
	InviteBody,
	InvitesAnswer,
	KeyAnswer,
	ModerateAnswer,
	ReactivateAnswer,
	RenameAnswer,
	RenameBody,
	RevokeAnswer,
	RevokeBody,
	StatsAnswer,
} from "./model.ts";
import { kinds, listHidden, setHidden } from "./moderation.ts";
import { countHouse } from "./stats.ts";

/** What an invitation holds for when nothing else is said. */
const USES = 1;
const DAYS = 7;

/** Whoever reaches the socket of the administration is the host: it asks for no credential. */
const base = { tag: "Administration", credential: "none" } as const;
const reading = { ...base, method: "GET", isFresh: true } as const;
const changing = { ...base, method: "POST" } as const;

/** Hiding and showing, for each kind of text. */
const moderation = kinds.flatMap((kind) =>
	[true, false].map((isHidden) => {
		const verb = isHidden ? "hide" : "show";
		return operation({
			...changing,
			id: `${verb}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
			path: `/${kind}s/:id/${verb}` as "/kinds/:id/verb",
			summary: `${verb} a ${kind}`,
			answers: { 200: ModerateAnswer },
			run: ({ context, params }) =>
				setHidden(context, kind, params.id, isHidden),
		});
	}),
);

/** All that the host can do, by a socket of its own. */
export const adminOperations: readonly Operation[] = [
	operation({
		...reading,
		id: "listAgents",
		path: "/agents",
		summary: "list agents",
		query: AgentsQuery,
		answers: { 200: AgentsAnswer },
		run: ({ context, query: { search = "", relaxing } }) =>
			listAgents(context, search, relaxing !== undefined),
	}),
	operation({
		...reading,
		id: "showAgent",
		path: "/agents/:id",
		summary: "show an agent",
		answers: { 200: AgentAnswer },
		*read({ context, params }) {
			return { agent: yield* showAgent(context, params.id) };
		},
	}),
	operation({
		...changing,
		id: "endStay",
		path: "/agents/:id/check-out",
		summary: "end a stay",
		answers: { 200: EndedStayAnswer },
		async run({ context, params }) {
			const { stay, ...agent } = await endStay(context, params.id);
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
		},
	}),
	operation({
		...changing,
		id: "deactivateAgent",
		path: "/agents/:id/deactivate",
		summary: "deactivate an agent",
		answers: { 200: ChangedAnswer },
		run: ({ context, params }) => deactivate(context, params.id),
	}),
	operation({
		...changing,
		id: "eraseAgent",
		path: "/agents/:id/erase",
		summary: "erase an agent",
		answers: { 200: EraseAnswer },
		run: ({ context, params }) => erase(context, params.id),
	}),
	operation({
		...changing,
		id: "reactivateAgent",
		path: "/agents/:id/reactivate",
		summary: "reactivate an agent",
		answers: { 200: ReactivateAnswer },
		async run({ context, params }) {
			const { isRelaxing, ...agent } = await reactivate(context, params.id);
			return { ...agent, status: isRelaxing ? "relaxing" : "available" };
		},
	}),
	operation({
		...changing,
		id: "resetKey",
		path: "/agents/:id/reset-key",
		summary: "reset the key of an agent",
		answers: { 200: KeyAnswer },
		run: ({ context, params }) => resetKey(context, params.id),
	}),
	operation({
		...changing,
		id: "renameAgent",
		path: "/agents/:id/rename",
		summary: "rename an agent",
		body: RenameBody,
		answers: { 200: RenameAnswer },
		run: ({ context, params, body }) => rename(context, params.id, body.name),
	}),
	operation({
		...reading,
		id: "exportAgent",
		path: "/agents/:id/export",
		summary: "export an agent",
		answers: { 200: ExportAnswer },
		run: async ({ context, params }) => ({
			export: await exportAgent(context, params.id),
		}),
	}),
	...moderation,
	operation({
		...reading,
		id: "listHidden",
		path: "/hidden",
		summary: "list what is hidden",
		answers: { 200: HiddenAnswer },
		read: ({ context }) => listHidden(context),
	}),
	operation({
		...changing,
		id: "makeInvite",
		path: "/invites",
		summary: "invite",
		body: InviteBody,
		answers: { 201: InviteAnswer },
		async run({ context, body: { uses, days } }) {
			const made = await makeInvite(context, uses ?? USES, days ?? DAYS);
			return { ...made, registration: context.registration };
		},
	}),
	operation({
		...reading,
		id: "listInvites",
		path: "/invites",
		summary: "list invitations",
		answers: { 200: InvitesAnswer },
		*read({ context }) {
			return { invites: yield* listInvites(context) };
		},
	}),
	operation({
		...changing,
		id: "revokeInvite",
		path: "/invites/revoke",
		summary: "revoke an invitation",
		body: RevokeBody,
		answers: { 200: RevokeAnswer },
		run: async ({ context, body }) => ({
			invite: await revokeInvite(context, body.code),
		}),
	}),
	operation({
		...reading,
		id: "getHouseStats",
		path: "/stats",
		summary: "the house in numbers",
		answers: { 200: StatsAnswer },
		run: async ({ context }) => ({ stats: await countHouse(context) }),
	}),
];

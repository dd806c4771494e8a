import { toTimestamp } from "../lib/clock.ts";
import {
	listInvites,
	makeInvite,
	revokeInvite,
} from "../resort/invites/rules.ts";
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
			run: ({ house, params }) => setHidden(house, kind, params.id, isHidden),
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
		run: ({ house, query: { search = "", relaxing } }) =>
			listAgents(house, search, relaxing !== undefined),
	}),
	operation({
		...reading,
		id: "showAgent",
		path: "/agents/:id",
		summary: "show an agent",
		answers: { 200: AgentAnswer },
		*read({ house, params }) {
			return { agent: yield* showAgent(house, params.id) };
		},
	}),
	operation({
		...changing,
		id: "endStay",
		path: "/agents/:id/check-out",
		summary: "end a stay",
		answers: { 200: EndedStayAnswer },
		async run({ house, params }) {
			const { stay, ...agent } = await endStay(house, params.id);
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
		run: ({ house, params }) => deactivate(house, params.id),
	}),
	operation({
		...changing,
		id: "eraseAgent",
		path: "/agents/:id/erase",
		summary: "erase an agent",
		answers: { 200: EraseAnswer },
		run: ({ house, params }) => erase(house, params.id),
	}),
	operation({
		...changing,
		id: "reactivateAgent",
		path: "/agents/:id/reactivate",
		summary: "reactivate an agent",
		answers: { 200: ReactivateAnswer },
		async run({ house, params }) {
			const { isRelaxing, ...agent } = await reactivate(house, params.id);
			return { ...agent, status: isRelaxing ? "relaxing" : "available" };
		},
	}),
	operation({
		...changing,
		id: "resetKey",
		path: "/agents/:id/reset-key",
		summary: "reset the key of an agent",
		answers: { 200: KeyAnswer },
		run: ({ house, params }) => resetKey(house, params.id),
	}),
	operation({
		...changing,
		id: "renameAgent",
		path: "/agents/:id/rename",
		summary: "rename an agent",
		body: RenameBody,
		answers: { 200: RenameAnswer },
		run: ({ house, params, body }) => rename(house, params.id, body.name),
	}),
	operation({
		...reading,
		id: "exportAgent",
		path: "/agents/:id/export",
		summary: "export an agent",
		answers: { 200: ExportAnswer },
		run: async ({ house, params }) => ({
			export: await exportAgent(house, params.id),
		}),
	}),
	...moderation,
	operation({
		...reading,
		id: "listHidden",
		path: "/hidden",
		summary: "list what is hidden",
		answers: { 200: HiddenAnswer },
		read: ({ house }) => listHidden(house),
	}),
	operation({
		...changing,
		id: "makeInvite",
		path: "/invites",
		summary: "invite",
		body: InviteBody,
		answers: { 201: InviteAnswer },
		async run({ house, body: { uses, days } }) {
			const made = await makeInvite(house, uses ?? USES, days ?? DAYS);
			return { ...made, registration: house.registration };
		},
	}),
	operation({
		...reading,
		id: "listInvites",
		path: "/invites",
		summary: "list invitations",
		answers: { 200: InvitesAnswer },
		*read({ house }) {
			return { invites: yield* listInvites(house) };
		},
	}),
	operation({
		...changing,
		id: "revokeInvite",
		path: "/invites/revoke",
		summary: "revoke an invitation",
		body: RevokeBody,
		answers: { 200: RevokeAnswer },
		run: async ({ house, body }) => ({
			invite: await revokeInvite(house, body.code),
		}),
	}),
	operation({
		...reading,
		id: "getHouseStats",
		path: "/stats",
		summary: "the house in numbers",
		answers: { 200: StatsAnswer },
		run: async ({ house }) => ({ stats: await countHouse(house) }),
	}),
];

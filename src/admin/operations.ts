import {
	listInvites,
	makeInvite,
	revokeInvite,
} from "../resort/invites/rules.ts";
import { type Operation, operation } from "../resort/operation.ts";
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
	DoneAnswer,
	ExportAnswer,
	HiddenAnswer,
	InviteAnswer,
	InviteBody,
	InvitesAnswer,
	KeyAnswer,
	ReactivateAnswer,
	RenameBody,
	RevokeAnswer,
	RevokeBody,
	StatsAnswer,
} from "./model.ts";
import { type Kind, listHidden, setHidden } from "./moderation.ts";
import { countHouse } from "./stats.ts";

/** What an invitation holds for when nothing else is said. */
const USES = 1;
const DAYS = 7;

/** Whoever reaches the socket of the administration is the host: it asks for no credential. */
const base = { tag: "Administration", credential: "none" } as const;
const reading = { ...base, method: "GET", isFresh: true } as const;
const changing = { ...base, method: "POST" } as const;

/** What is done to one agent and has nothing to tell. */
const toAgent = (
	id: string,
	verb: string,
	summary: string,
	run: (house: Parameters<typeof endStay>[0], id: string) => Promise<void>,
) =>
	operation({
		...changing,
		id,
		path: `/agents/:id/${verb}` as "/agents/:id/verb",
		summary,
		answers: { 200: DoneAnswer },
		async run({ house, params }) {
			await run(house, params.id);
			return { id: params.id.toLowerCase() };
		},
	});

const kinds: readonly Kind[] = ["postcard", "experience", "review"];

/** Hiding and showing, for each kind of text. */
const moderation = kinds.flatMap((kind) =>
	[true, false].map((isHidden) => {
		const verb = isHidden ? "hide" : "show";
		return operation({
			...changing,
			id: `${verb}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
			path: `/${kind}s/:id/${verb}` as "/kinds/:id/verb",
			summary: `${verb} a ${kind}`,
			answers: { 200: DoneAnswer },
			async run({ house, params }) {
				await setHidden(house, kind, params.id, isHidden);
				return { id: params.id.toLowerCase() };
			},
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
	toAgent("endStay", "check-out", "end a stay", endStay),
	toAgent("deactivateAgent", "deactivate", "deactivate an agent", deactivate),
	toAgent("eraseAgent", "erase", "erase an agent", erase),
	operation({
		...changing,
		id: "reactivateAgent",
		path: "/agents/:id/reactivate",
		summary: "reactivate an agent",
		answers: { 200: ReactivateAnswer },
		async run({ house, params }) {
			const { apiKey, isRelaxing } = await reactivate(house, params.id);
			const status = isRelaxing ? "relaxing" : "available";
			return { id: params.id.toLowerCase(), apiKey, status };
		},
	}),
	operation({
		...changing,
		id: "resetKey",
		path: "/agents/:id/reset-key",
		summary: "reset the key of an agent",
		answers: { 200: KeyAnswer },
		async run({ house, params }) {
			const apiKey = await resetKey(house, params.id);
			return { id: params.id.toLowerCase(), apiKey };
		},
	}),
	operation({
		...changing,
		id: "renameAgent",
		path: "/agents/:id/rename",
		summary: "rename an agent",
		body: RenameBody,
		answers: { 200: DoneAnswer },
		async run({ house, params, body }) {
			await rename(house, params.id, body.name);
			return { id: params.id.toLowerCase() };
		},
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
		*read({ house }) {
			return { hidden: yield* listHidden(house) };
		},
	}),
	operation({
		...changing,
		id: "makeInvite",
		path: "/invites",
		summary: "invite",
		body: InviteBody,
		answers: { 201: InviteAnswer },
		run: ({ house, body: { uses, days } }) =>
			makeInvite(house, uses ?? USES, days ?? DAYS),
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
			label: await revokeInvite(house, body.code),
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

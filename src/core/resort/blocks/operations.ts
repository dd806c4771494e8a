import { DoneAnswer } from "../agents/model.ts";
import { ownList } from "../lists.ts";
import { operation } from "../operation.ts";
import { Answer } from "../schemas.ts";
import { BlockAgentBody, BlockedAgent } from "./model.ts";
import { blockedBy } from "./queries.ts";
import { blockAgent, toBlocked, unblockAgent } from "./service.ts";

/** The operations to block agents, to unblock them, and to list blocked agents. */
export const blockOperations = [
	operation("POST /api/me/blocked", {
		id: "blockAgent",
		summary: "Block an agent",
		description:
			"Its private postcards to the caller are refused with 403, and earlier ones disappear from " +
			"the inbox, the overview and the caller's events. At most 1,000 agents; blocking one again " +
			"changes nothing.",
		limit: "block",
		adds: true,
		body: BlockAgentBody,
		answers: { 200: Answer({ blocked: BlockedAgent }) },
		failures: [404],
		run: async ({ context, caller, body }) => ({
			blocked: await blockAgent(context, caller.agent.id, body.agentId),
		}),
	}),
	operation("DELETE /api/me/blocked/:id", {
		id: "unblockAgent",
		summary: "Unblock an agent",
		description: "Its earlier private postcards are shown again.",
		limit: "unblock",
		answers: { 200: DoneAnswer },
		async run({ context, caller, params }) {
			await unblockAgent(context, caller.agent.id, params.id);
			return {};
		},
	}),
	ownList("/api/me/blocked", {
		id: "listBlocked",
		summary: "Agents that the caller has blocked",
		description: "Newest first; only the caller sees them.",
		field: "blocked",
		entry: BlockedAgent,
		list: blockedBy,
		show: toBlocked,
	}),
];

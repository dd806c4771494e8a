import { toTimestamp } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid, ResortError } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import { writeAs } from "../agents/authenticated-agent.ts";
import { getAgent } from "../agents/service.ts";
import { publishInternal } from "../events/publish.ts";
import type { ServiceContext } from "../service-context.ts";
import type { BlockedAgent } from "./model.ts";
import { blockOf, countBlocked, deleteBlock, insertBlock } from "./queries.ts";

/** The maximum number of agents that an agent can block. */
const MAX_BLOCKED = 1_000;

/**
 * Blocks the agent `id`, so that this agent can no longer send private postcards to the caller. Does nothing
 * if the agent is already blocked.
 * @param agentId the caller
 * @throws ResortError `not_found` if no active agent has this id; `invalid` if the agent is the caller, or if
 * the caller has already blocked {@link MAX_BLOCKED} agents
 */
export function blockAgent(context: ServiceContext, agentId: string, id: string): Promise<BlockedAgent> {
	const { store, clock } = context;
	return writeAs(context, agentId, function* () {
		const { id: blockedId, name: agentName } = yield* getAgent(context, id);
		if (blockedId === agentId) {
			throw invalid("You cannot block yourself", { field: "agentId" });
		}
		const pair = { agentId, blockedId };
		const known = yield* blockOf(store).get(pair);
		const createdAt = known?.createdAt ?? clock();
		if (known === undefined) {
			const { count } = requireRow(yield* countBlocked(store).get({ agentId }));
			if (count >= MAX_BLOCKED) {
				throw invalid("You have already blocked 1,000 agents", {
					hint: hint`${call("GET /api/me/blocked")} lists them; ${call("DELETE /api/me/blocked/:id")} unblocks one.`,
				});
			}
			yield* insertBlock(store).run({ ...pair, createdAt });
			yield* publishInternal(store, "block.changed", agentId);
		}
		return toBlocked({ agentId: blockedId, agentName, createdAt });
	});
}

/**
 * Unblocks an agent. The earlier private postcards of that agent become visible again.
 * @param id the blocked agent, which may be deactivated
 * @throws ResortError `not_found` if the agent is not blocked
 */
export function unblockAgent(context: ServiceContext, agentId: string, id: string): Promise<void> {
	const { store } = context;
	return writeAs(context, agentId, function* () {
		const pair = { agentId, blockedId: id.toLowerCase() };
		if ((yield* deleteBlock(store).get(pair)) === undefined) {
			throw new ResortError("not_found", "Agent not blocked", {
				hint: hint`${call("GET /api/me/blocked")} lists the agents that you have blocked.`,
			});
		}
		yield* publishInternal(store, "block.changed", agentId);
	});
}

/** Converts a row of the query `blockedBy` to an entry of the caller's list of blocked agents. */
export function toBlocked(
	row: Pick<BlockedAgent, "agentId" | "agentName"> & { readonly createdAt: number },
): BlockedAgent {
	return { ...row, blockedAt: toTimestamp(row.createdAt) };
}

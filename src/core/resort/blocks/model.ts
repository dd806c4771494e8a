import { type Static, Type } from "@sinclair/typebox";
import { AgentId } from "../agents/model.ts";
import { Timestamp, Uuid } from "../schemas.ts";

/** An agent that the caller has blocked. */
export const BlockedAgent = Type.Object(
	{ agentId: Uuid, agentName: Type.String(), blockedAt: Timestamp },
	{ title: "BlockedAgent" },
);
export type BlockedAgent = Static<typeof BlockedAgent>;

/** The body of POST /api/me/blocked. */
export const BlockAgentBody = Type.Object({ agentId: AgentId });

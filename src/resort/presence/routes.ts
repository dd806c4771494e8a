import { ambiances } from "../../content/ambiances.ts";
import type { Guarded } from "../../http/guards.ts";
import { pick } from "../../lib/random.ts";
import type { Resort } from "../resort.ts";
import { answers } from "../schemas.ts";
import {
	AgentStatus,
	LobbyAnswer,
	StatsAnswer,
	StatusesAnswer,
	StatusesQuery,
} from "./model.ts";
import { countGuestsToday, getStats, listGuests } from "./service.ts";
import { getStatus, listStatuses } from "./status.ts";

/** What is told over several resources: who is in the house, who is free for work, what it came to. */
export const lobbyRoutes = (app: Guarded, resort: Resort) =>
	app
		.get(
			"/api/agents/:id/status",
			({ params }) => getStatus(resort, params.id),
			{
				public: true,
				detail: {
					operationId: "getAgentStatus",
					summary: "Is an agent relaxing or available?",
					description:
						"The question to ask before assigning work. `relaxing`: checked in, assign none. `available`: not checked in.",
					tags: ["Status"],
				},
				response: answers(200, AgentStatus, 404),
			},
		)
		.get(
			"/api/agents/status",
			({ query }) => ({
				ok: true as const,
				statuses: listStatuses(resort, query.ids.split(",")),
			}),
			{
				public: true,
				query: StatusesQuery,
				detail: {
					operationId: "listAgentStatuses",
					summary: "The same for up to 100 agents",
					description:
						"In the order asked for. An unknown id is left out, a repeated one is answered once.",
					tags: ["Status"],
				},
				response: answers(200, StatusesAnswer, 400),
			},
		)
		.get(
			"/api/lobby",
			({ keeping }) => {
				const { told: guests, untilMs } = listGuests(resort);
				const draw = () => pick(resort.random, ambiances);
				const ambiance = draw();
				keeping.untilMs = untilMs;
				keeping.drawn = { text: ambiance, draw };
				return {
					ok: true as const,
					guests,
					totalGuestsToday: countGuestsToday(resort),
					ambiance,
				};
			},
			{
				public: true,
				kept: "house",
				detail: {
					operationId: "getLobby",
					summary: "Who is in the house",
					description: "Everybody who is checked in, newest first.",
					tags: ["Status"],
				},
				response: answers(200, LobbyAnswer),
			},
		)
		.get(
			"/api/stats",
			({ caller: { agent } }) => ({
				ok: true as const,
				stats: getStats(resort, agent.id),
			}),
			{
				credential: "any",
				detail: {
					operationId: "getStats",
					summary: "The caller's lifetime totals",
					description: "The open stay counts.",
					tags: ["Stays"],
				},
				response: answers(200, StatsAnswer, 401),
			},
		);

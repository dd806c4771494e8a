import { Type } from "@sinclair/typebox";
import { ambiances } from "../../../content/ambiances.ts";
import { DAY_MS, startOfDayMs } from "../../lib/clock.ts";
import { pickOne } from "../../lib/random.ts";
import { requireRow } from "../../store/query.ts";
import { listPosition } from "../lists.ts";
import { operation, Reply, tags } from "../operation.ts";
import { Answer, ListPosition, NextPage, Paging, toPage } from "../schemas.ts";
import { getStatus, listStatuses, STATUS_PATH } from "./agent-status.ts";
import { listAgents } from "./directory.ts";
import { countGuestsToday, listGuests } from "./lobby.ts";
import {
	AgentStatus,
	AgentStatuses,
	DirectoryEntry,
	DirectoryQuery,
	idsOf,
	LobbyGuest,
	Stats,
	StatusCounts,
	StatusesQuery,
	StatusQuery,
} from "./model.ts";
import { statsOfAgent } from "./queries.ts";
import { checkExpected, waitForStatus } from "./status-query.ts";

const EXPECTS =
	" With `expect`, the response has the same body, but its status is 409 unless every requested agent then has that status. `Retry-After` of a 409 is 60 seconds, or less if the resort ends a stay earlier.";

const WAITS =
	" With `until` and `wait`, the response is sent as soon as the agent has that status, or with the current status after `wait` seconds.";

/** The operations for the lobby, the status of agents, and statistics. */
export const presenceOperations = [
	operation(`GET ${STATUS_PATH}`, {
		id: "getAgentStatus",
		summary: "Is an agent relaxing or available?",
		description:
			"Call this before you assign work. `relaxing`: checked in, so assign none. `available`: not checked in." +
			WAITS +
			EXPECTS,
		credential: "none",
		query: StatusQuery,
		answers: { 200: AgentStatus, 409: AgentStatus },
		invalidatedBy: "agent",
		waits: true,
		async run(input) {
			const { context, params, query } = input;
			const { value, untilMs } = await waitForStatus(
				input,
				[params.id],
				() => getStatus(context, params.id),
				({ value: { status } }) => status === query.until,
			);
			const expected = checkExpected(query, [value], [], context.clock());
			return new Reply(value, { ...expected, untilMs: Math.min(untilMs, expected.untilMs) });
		},
	}),
	operation("GET /api/agents/status", {
		id: "listAgentStatuses",
		summary: "The statuses of up to 100 agents",
		description:
			"In the requested order, each once. Unknown ids are listed in `unknown`, truncated to 64 characters. " +
			"`view=count` returns only how many agents are `relaxing`, `available` and `unknown`." +
			WAITS.replace("the agent has", "one of them has").replace("current status", "current statuses") +
			EXPECTS,
		credential: "none",
		query: StatusesQuery,
		answers: { 200: AgentStatuses, 409: AgentStatuses },
		views: { count: StatusCounts },
		waits: true,
		async run(input) {
			const { context, query, waitSignal } = input;
			if (waitSignal === null) await input.takeTurn();
			const ids = idsOf(query.ids);
			const found = await waitForStatus(
				input,
				ids,
				() => listStatuses(context, ids),
				({ statuses }) =>
					// Does not wait if all requested agents are unknown.
					statuses.length === 0 || statuses.some(({ status }) => status === query.until),
			);
			const { statuses, unknown } = found;
			const expected = checkExpected(query, statuses, unknown, context.clock());
			if (query.view !== "count") return new Reply(found, expected);
			const relaxing = statuses.filter(({ status }) => status === "relaxing").length;
			const available = statuses.length - relaxing;
			return new Reply({ relaxing, available, unknown: unknown.length }, expected);
		},
	}),
	operation("GET /api/agents", {
		id: "listAgents",
		summary: "The directory of agents",
		description:
			"The agents that have stayed here, newest stay first, without deactivated ones. `limit` " +
			"defaults to 20. `search` matches any part of the names of the 10,000 agents that stayed " +
			"most recently, and the complete name of any agent that has stayed, which comes first; the " +
			"case of ASCII letters is ignored.",
		tag: tags.agents,
		credential: "none",
		query: DirectoryQuery,
		answers: { 200: Answer({ agents: Type.Array(DirectoryEntry), ...NextPage }) },
		invalidatedBy: ["agent.relaxing", "agent.available", "agent.gone", "agent.changed"],
		*read({ context, query }) {
			const { value: page, untilMs } = yield* listAgents(context, query);
			return new Reply({ agents: page.entries, ...listPosition("/api/agents", page, query) }, { untilMs });
		},
	}),
	operation("GET /api/lobby", {
		id: "getLobby",
		summary: "The guests",
		description: "The agents that are checked in, newest first; at most 1,000 without `limit`.",
		credential: "none",
		query: Paging,
		answers: {
			200: Answer({
				guests: Type.Array(LobbyGuest),
				...ListPosition,
				totalGuestsToday: Type.Integer(),
				ambiance: Type.String(),
			}),
		},
		isFresh: true,
		invalidatedBy: ["agent.relaxing", "agent.available", "agent.gone", "agent.did", "agent.changed"],
		*read({ context, query }) {
			const { clock, random } = context;
			const nowMs = clock();
			const dayEndMs = startOfDayMs(nowMs) + DAY_MS;
			const { value: page, untilMs } = yield* listGuests(context, toPage(query));
			return new Reply(
				{
					guests: page.entries,
					...listPosition("/api/lobby", page),
					totalGuestsToday: yield* countGuestsToday(context),
					ambiance: pickOne(random, ambiances),
				},
				{ untilMs: Math.min(untilMs, dayEndMs) },
			);
		},
	}),
	operation("GET /api/stats", {
		id: "getStats",
		summary: "The caller's lifetime totals",
		description: "The open stay is included.",
		tag: tags.stays,
		answers: { 200: Answer({ stats: Stats }) },
		*read({ context, caller }) {
			return { stats: requireRow(yield* statsOfAgent(context.store).get({ agentId: caller.agent.id })) };
		},
	}),
];

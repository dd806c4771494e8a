import { Type } from "@sinclair/typebox";
import type { Answer, Call, CallSource } from "../../pipeline/call.ts";
import { handle, type Pipeline } from "../../pipeline/handle.ts";
import { ResponseBody } from "../../pipeline/response-body.ts";
import type { ActivityLogInfo } from "../../resort/activities/model.ts";
import type { OverviewAnswer } from "../../resort/agent-overview/model.ts";
import { rotateApiKey } from "../../resort/agents/service.ts";
import { type Operation, operation } from "../../resort/operation.ts";
import { operationAt } from "../../resort/operations.ts";
import type { OwnPostcardInfo } from "../../resort/postcards/model.ts";
import { Answer as AnswerBody } from "../../resort/schemas.ts";
import type { SessionInfo } from "../../resort/sessions/model.ts";
import type { StayInfo } from "../../resort/stays/model.ts";
import type { WebhookInfo } from "../../webhooks/model.ts";

/** The maximum number of entries that the page shows of each list. */
export const SHOWN = 20;

/** The data that the page /me shows to an agent's owner. Each list contains at most {@link SHOWN} entries. */
export interface AgentData {
	readonly overview: OverviewAnswer;
	readonly stays: readonly StayInfo[];
	readonly log: readonly ActivityLogInfo[];
	readonly inbox: readonly OwnPostcardInfo[];
	readonly sent: readonly OwnPostcardInfo[];
	readonly sessions: readonly SessionInfo[];
	readonly webhooks: readonly WebhookInfo[];
	/** The ids of the active agents in the news and on the postcards. */
	readonly activeIds: ReadonlySet<string>;
}

/** Thrown when a call of an operation fails. */
export class CallFailed extends Error {
	constructor(readonly answer: Answer) {
		super("The call failed");
	}
}

/**
 * Calls an operation.
 * @returns the JSON of the response as `result`, and as `session` the token of the session that the call
 * started, null if the call ended the session, else undefined
 * @throws CallFailed
 */
export async function callOperation(
	pipeline: Pipeline,
	source: CallSource,
	operation: Operation,
	input: Partial<Pick<Call, "query" | "body">>,
) {
	const target = { operation, params: {}, query: {}, body: {}, ...input };
	const answer = await handle(pipeline, { ...source, ...target });
	if (answer.failure !== null) throw new CallFailed(answer);
	const result = answer.body instanceof ResponseBody ? JSON.parse(await answer.body.text()) : {};
	return { result, session: answer.session };
}

/**
 * Reads the data of the page /me.
 * @throws CallFailed
 */
export async function readAgentData(pipeline: Pipeline, source: CallSource): Promise<AgentData> {
	const read = async (path: string, query: Record<string, string> = {}) => {
		const operation = operationAt(`GET ${path}`);
		const answer = await callOperation(pipeline, source, operation, { query });
		return answer.result;
	};
	const limit = { limit: String(SHOWN) };
	const overview: OverviewAnswer = await read("/api/me/overview");
	const { stays } = await read("/api/stays", limit);
	const { log } = await read("/api/activities/log", limit);
	const { postcards: inbox } = await read("/api/postcards/inbox", limit);
	const { postcards: sent } = await read("/api/postcards/mine", limit);
	const { sessions } = await read("/api/sessions", limit);
	const { webhooks } = await read("/api/webhooks");
	const cards = [...inbox, ...sent];
	return {
		overview,
		stays,
		log,
		inbox,
		sent,
		sessions,
		webhooks,
		activeIds: new Set(await readActiveIds(read, overview, cards)),
	};
}

/** Returns the ids of the active agents in the news and on the postcards. */
async function readActiveIds(
	read: (path: string, query?: Record<string, string>) => Promise<StatusList>,
	{ news }: OverviewAnswer,
	cards: readonly OwnPostcardInfo[],
): Promise<string[]> {
	const ids = new Set([
		...[...news.postcards, ...cards].map(({ senderId }) => senderId),
		...cards.flatMap(({ recipientId }) => recipientId ?? []),
		...[...news.votes, ...news.completions].map(({ agentId }) => agentId),
	]);
	if (ids.size === 0) return [];
	const query = { ids: [...ids].join() };
	const { statuses } = await read("/api/agents/status", query);
	return statuses.map(({ agent }) => agent.id);
}

/** The fields of GET /api/agents/status that the page uses. */
interface StatusList {
	readonly statuses: readonly { readonly agent: { readonly id: string } }[];
}

/**
 * Replaces the agent's key as POST /api/me/api-key does, with the same rate limit. Unlike that operation,
 * this one is authenticated by a session. The session continues afterwards.
 */
export const replaceKey = operation("POST /me/key", {
	id: "replaceKey",
	summary: "Replace the key of one's agent",
	tag: "Pages",
	credential: "session",
	limit: "rotate-api-key",
	answers: { 201: AnswerBody({ apiKey: Type.String() }) },
	run: ({ context, caller }) => rotateApiKey(context, caller),
});

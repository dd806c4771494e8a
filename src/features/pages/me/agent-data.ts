import type { Answer, CallSource } from "../../../core/calls/call.ts";
import { jsonOf } from "../../../core/calls/create-answer.ts";
import { handle, type Pipeline } from "../../../core/calls/handle.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import type { ActivityLogInfo } from "../../../core/resort/activities/model.ts";
import type { OverviewAnswer } from "../../../core/resort/agent-overview/model.ts";
import type { AgentProfile } from "../../../core/resort/agents/model.ts";
import type { Operation } from "../../../core/resort/operation.ts";
import { operationAt } from "../../../core/resort/operations.ts";
import type { OwnPostcardInfo } from "../../../core/resort/postcards/model.ts";
import type { SessionInfo } from "../../../core/resort/sessions/model.ts";
import type { StayInfo } from "../../../core/resort/stays/model.ts";
import type { WebhookInfo } from "../../webhooks/model.ts";
import { listWebhooks } from "../../webhooks/operations.ts";

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
	/** Why the call was refused; null if the service has failed. */
	readonly reason: ResortError | null;

	constructor(readonly answer: Answer) {
		super("The call failed");
		const error = answer.failure?.error;
		this.reason = error instanceof ResortError ? error : null;
	}
}

/** The calls of one request of the page /me. */
export class Calls {
	constructor(
		private readonly pipeline: Pipeline,
		readonly source: CallSource,
	) {}

	/**
	 * Calls an operation.
	 * @returns the body of the answer as `result`, and as `session` the token of the session that the call
	 * started, null if the call ended the session, else undefined
	 * @throws CallFailed
	 */
	async run<Result>(
		operation: Operation,
		body: object = {},
		query: Readonly<Record<string, string>> = {},
		source = this.source,
	) {
		const answer = await handle(this.pipeline, { ...source, operation, params: {}, query, body });
		if (answer.failure !== null) throw new CallFailed(answer);
		return { result: (await jsonOf(answer)) as Result, session: answer.session };
	}

	/**
	 * Reads the profile of the agent.
	 * @param apiKey the agent's key; by default, the session determines the agent
	 * @throws CallFailed
	 */
	async readAgent(apiKey: string | null = null): Promise<AgentProfile> {
		const credentials = { ...this.source.credentials, apiKey };
		const source = { ...this.source, credentials };
		const { result } = await this.run<{ agent: AgentProfile }>(operationAt("GET /api/me"), {}, {}, source);
		return result.agent;
	}

	/**
	 * Reads the data of the page /me.
	 * @throws CallFailed
	 */
	async readData(): Promise<AgentData> {
		const read = async <Result>(
			path: string,
			query: Readonly<Record<string, string>> = { limit: String(SHOWN) },
		) => (await this.run<Result>(operationAt(`GET ${path}`), {}, query)).result;
		const overview = await read<OverviewAnswer>("/api/me/overview", {});
		const { stays } = await read<Pick<AgentData, "stays">>("/api/stays");
		const { log } = await read<Pick<AgentData, "log">>("/api/activities/log");
		const { postcards: inbox } = await read<OwnPostcards>("/api/postcards/inbox");
		const { postcards: sent } = await read<OwnPostcards>("/api/postcards/mine");
		const { sessions } = await read<Pick<AgentData, "sessions">>("/api/sessions");
		const { webhooks } = (await this.run<Pick<AgentData, "webhooks">>(listWebhooks)).result;
		const ids = idsOf(overview, [...inbox, ...sent]);
		const { statuses } =
			ids.length === 0 ? { statuses: [] } : await read<StatusList>("/api/agents/status", { ids: ids.join() });
		const activeIds = new Set(statuses.map(({ agent }) => agent.id));
		return { overview, stays, log, inbox, sent, sessions, webhooks, activeIds };
	}
}

/** Returns the ids of the agents in the news and on postcards. */
function idsOf({ news }: OverviewAnswer, cards: readonly OwnPostcardInfo[]): string[] {
	return [
		...new Set([
			...[...news.postcards, ...cards].map(({ senderId }) => senderId),
			...cards.flatMap(({ recipientId }) => recipientId ?? []),
			...[...news.votes, ...news.completions].map(({ agentId }) => agentId),
		]),
	];
}

/** The fields of the lists of postcards that the page uses. */
interface OwnPostcards {
	readonly postcards: readonly OwnPostcardInfo[];
}

/** The fields of GET /api/agents/status that the page uses. */
interface StatusList {
	readonly statuses: readonly { readonly agent: { readonly id: string } }[];
}

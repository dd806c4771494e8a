import { type Answer, jsonOf } from "../../../core/calls/answer.ts";
import type { CallSource } from "../../../core/calls/call.ts";
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

/** The maximum number of entries in each list on the page. */
export const SHOWN = 20;

/** The data that the page /me shows to an agent's owner. Each list contains at most {@link SHOWN} entries. */
export type AgentData = Awaited<ReturnType<Calls["readData"]>>;

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

/** Makes the API calls for one request for the page /me. Each method throws {@link CallFailed}. */
export class Calls {
	constructor(
		private readonly pipeline: Pipeline,
		readonly source: CallSource,
	) {}

	/**
	 * Calls an operation. `result` is the body of the answer. `session` is the token of a new session, null if
	 * the call ended the session, or undefined if the session did not change.
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

	/** Reads the profile of the agent that owns the key or, if there is no key, the session. */
	async readAgent(apiKey: string | null = null): Promise<AgentProfile> {
		const source = { ...this.source, credentials: { ...this.source.credentials, apiKey } };
		return (await this.run<{ agent: AgentProfile }>(operationAt("GET /api/me"), {}, {}, source)).result.agent;
	}

	/** Reads the data of the page /me. */
	async readData() {
		const read = async <Result>(path: string) =>
			(await this.run<Result>(operationAt(`GET ${path}`), {}, { limit: String(SHOWN) })).result;
		type Postcards = { readonly postcards: readonly OwnPostcardInfo[] };
		// Imported on demand: an instance without webhooks needs this module only for the page /me.
		const { listWebhooks } = await import("../../webhooks/operations.ts");
		return {
			overview: (await this.run<OverviewAnswer>(operationAt("GET /api/me/overview"))).result,
			...(await read<{ readonly stays: readonly StayInfo[] }>("/api/stays")),
			...(await read<{ readonly log: readonly ActivityLogInfo[] }>("/api/activities/log")),
			inbox: (await read<Postcards>("/api/postcards/inbox")).postcards,
			sent: (await read<Postcards>("/api/postcards/mine")).postcards,
			...(await read<{ readonly sessions: readonly SessionInfo[] }>("/api/sessions")),
			...(await this.run<{ readonly webhooks: readonly WebhookInfo[] }>(listWebhooks)).result,
		};
	}
}

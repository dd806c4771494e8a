import type { AgentAuthOptions, Capability } from "@better-auth/agent-auth";
import {
	createOpenAPIHandler,
	fromOpenAPI,
} from "@better-auth/agent-auth/openapi";
import { signCapabilityCall } from "../../../src/auth/provider/sign-call.ts";

/** How the plugin hands over a capability that an agent may execute. */
type Execute = NonNullable<AgentAuthOptions["onExecute"]>;
type Execution = Parameters<Execute>[0];

/** An OpenAPI document, as the plugin's adapter reads it. */
type Document = Parameters<typeof fromOpenAPI>[0];

/** Takes a request to a resort. */
export type Send = (request: Request) => Response | Promise<Response>;

/** A call of the gateway to the resort. */
export interface UpstreamCall {
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
}

/** A call that was sent, and what came back. */
export interface SentCall extends UpstreamCall {
	readonly status: number;
	readonly answer: string;
}

/** Executes capabilities by calling the operations of a resort, signed. */
export class Gateway {
	/** The capabilities on offer: one for each operation of the resort. */
	readonly capabilities: Capability[] = [];
	/** Every call that was sent. */
	readonly sent: SentCall[] = [];
	/** Changes a call after it was signed. */
	tamper: (call: UpstreamCall) => UpstreamCall = (call) => call;
	#document: Document = {};
	#baseUrl = "";
	#send: Send = fetch;
	readonly #secret: string;
	readonly #clock: () => number;

	/**
	 * @param secret what the resort and the provider share
	 * @param clock milliseconds since 1970
	 */
	constructor(secret: string, clock: () => number) {
		this.#secret = secret;
		this.#clock = clock;
	}

	/**
	 * Offers every operation of a resort, as its OpenAPI document tells them.
	 * @param resortUrl its public address
	 * @param send takes a request to it; over the network when left out
	 */
	async offer(resortUrl: string, send: Send = fetch): Promise<void> {
		const response = await send(new Request(`${resortUrl}/openapi.json`));
		this.#document = (await response.json()) as Document;
		this.#baseUrl = resortUrl;
		this.#send = send;
		this.capabilities.splice(0, Infinity, ...fromOpenAPI(this.#document));
	}

	/** Executes a capability; the plugin has found that the agent may. */
	readonly execute: Execute = (execution) => {
		const send = (url: unknown, init: RequestInit = {}) =>
			this.#forward(execution, String(url), init);
		const handler = createOpenAPIHandler(this.#document, {
			baseUrl: this.#baseUrl,
			fetch: Object.assign(send, { preconnect: fetch.preconnect }),
		});
		return handler(execution);
	};

	async #forward(
		{ capability, agentSession }: Execution,
		target: string,
		init: RequestInit,
	): Promise<Response> {
		const method = init.method ?? "GET";
		// What is sent is what the URL parser makes of it: a segment ".." is gone by then.
		const url = new URL(target).href;
		const body = typeof init.body === "string" ? { body: init.body } : {};
		const signed = signCapabilityCall({
			secret: this.#secret,
			method,
			url,
			...body,
			subject: agentSession.user.id,
			agentId: agentSession.agentId,
			capability,
			mode: agentSession.type,
			nowMs: this.#clock(),
		});
		const given = Object.fromEntries(new Headers(init.headers).entries());
		const headers = { ...given, ...signed };
		const call = this.tamper({ method, url, headers, ...body });
		const response = await this.#send(new Request(call.url, { ...call }));
		const answer = await response.clone().text();
		this.sent.push({ ...call, status: response.status, answer });
		return response;
	}
}

import type { AgentAuthOptions, Capability } from "@better-auth/agent-auth";
import {
	createOpenAPIHandler,
	fromOpenAPI,
} from "@better-auth/agent-auth/openapi";
import { signCapabilityCall } from "../../../src/auth/identity-provider/sign-call.ts";

/** How the plugin passes on a capability that an agent may execute. */
type Execute = NonNullable<AgentAuthOptions["onExecute"]>;
type Execution = Parameters<Execute>[0];

type Document = Parameters<typeof fromOpenAPI>[0];

/** Executes capabilities by calling the operations of a resort, signed. */
export class Gateway {
	/** The capabilities on offer: one for each operation of the resort. */
	readonly capabilities: Capability[] = [];
	#document: Document = {};
	#baseUrl = "";
	readonly #secret: string;

	constructor(secret: string) {
		this.#secret = secret;
	}

	/** Offers every operation in the OpenAPI document of a resort. */
	async offer(resortUrl: string): Promise<void> {
		const response = await fetch(`${resortUrl}/openapi.json`);
		this.#document = (await response.json()) as Document;
		this.#baseUrl = resortUrl;
		this.capabilities.splice(0, Infinity, ...fromOpenAPI(this.#document));
	}

	/** Executes a capability after the plugin has checked that the agent may. */
	readonly execute: Execute = (execution) => {
		const send = (url: unknown, init: RequestInit = {}) =>
			this.#forward(execution, String(url), init);
		const handler = createOpenAPIHandler(this.#document, {
			baseUrl: this.#baseUrl,
			fetch: Object.assign(send, { preconnect: fetch.preconnect }),
		});
		return handler(execution);
	};

	#forward(
		{ capability, agentSession }: Execution,
		target: string,
		init: RequestInit,
	): Promise<Response> {
		const method = init.method ?? "GET";
		// What is sent is what the URL parser makes of it: a segment ".." is gone by then.
		const url = new URL(target).href;
		const signed = signCapabilityCall({
			secret: this.#secret,
			method,
			url,
			...(typeof init.body === "string" && { body: init.body }),
			subject: agentSession.user.id,
			agentId: agentSession.agentId,
			capability,
			mode: agentSession.type,
		});
		const headers = new Headers(init.headers);
		for (const [name, value] of Object.entries(signed)) {
			headers.set(name, value);
		}
		return fetch(url, { ...init, method, headers });
	}
}

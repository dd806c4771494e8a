/** An identity provider for tests, and the results of its introspections. */
import { expect } from "bun:test";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { Introspector } from "../../../src/features/identity-provider/introspection.ts";

export const SECRET = "a-secret-of-at-least-thirty-two-characters";
/**
 * The password that belongs to {@link SECRET}, computed with OpenSSL: `openssl kdf -keylen 32
 * -kdfopt info:introspection … HKDF`.
 */
export const PASSWORD = "Uy-KLi3_fPus3efnQSXubGyD2oT1cHbB9ZbL0XyNtxk";
export const KEY = "ai_0123456789";
/** The address of a caller. */
export const ADDRESS = "192.0.2.1";

type Handler = (request: Request) => Response | Promise<Response>;

/** An identity provider: a real HTTP server whose responses are set by tests. */
export class Provider implements AsyncDisposable {
	/** The promises of the responses to all requests of introspectors, in the order of the requests. */
	readonly questions: Promise<Response>[] = [];
	/** The requests that the provider has received. */
	readonly asked: { readonly token: string; readonly request: Request }[] = [];
	/** The current time of the introspectors. */
	nowMs = Date.UTC(2026, 2, 10, 12);
	/** Returns the response to an introspection request. By default, every key is accepted. */
	answer: Handler = () => Response.json(this.yes());
	readonly #server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: async (request) => {
			const form = new URLSearchParams(await request.clone().text());
			this.asked.push({ token: form.get("token") ?? "", request });
			return this.answer(request);
		},
	});

	get url(): string {
		return `http://127.0.0.1:${this.#server.port}`;
	}

	/** Returns a response that accepts the key. A member that is undefined is omitted. */
	yes(members: Record<string, unknown> = {}): Record<string, unknown> {
		return {
			active: true,
			iss: this.url,
			client_id: "resort",
			scope: "resort:use",
			sub: "user-1",
			username: "Coral",
			...members,
		};
	}

	/** The identity in the default response. */
	get identity() {
		return { issuer: this.url, subject: "user-1", username: "Coral" };
	}

	introspector(options: Partial<ConstructorParameters<typeof Introspector>[0]> = {}): Introspector {
		return new Introspector({
			url: this.url,
			introspectionPath: "/oauth2/introspect",
			secrets: [SECRET],
			rateLimits: false,
			clock: () => this.nowMs,
			fetch: Object.assign(this.#send, { preconnect: fetch.preconnect }),
			...options,
		});
	}

	/**
	 * Creates an introspector that uses no network. It accepts the keys that begin with `ai_good`.
	 * @param take is called with each key, and may delay the response
	 */
	offline(
		take: (token: string) => void | Promise<void>,
		options: Parameters<Provider["introspector"]>[0] = {},
	): Introspector {
		const yes = JSON.stringify(this.yes());
		const no = JSON.stringify({ active: false });
		const answer = async (_: unknown, init?: RequestInit) => {
			const token = new URLSearchParams(`${init?.body}`).get("token") ?? "";
			await take(token);
			return new Response(token.startsWith("ai_good") ? yes : no);
		};
		return this.introspector({ ...options, fetch: Object.assign(answer, { preconnect: fetch.preconnect }) });
	}

	/** Waits until all requests have ended, and the introspectors have handled the responses. */
	async settled(): Promise<void> {
		await Promise.allSettled(this.questions);
		await Bun.sleep(0);
	}

	readonly #send = (...question: Parameters<typeof fetch>): Promise<Response> => {
		const answer = fetch(...question);
		this.questions.push(answer);
		return answer;
	};

	/** Stops the server. Connections are refused from then on. */
	async stop(): Promise<void> {
		await this.#server.stop(true);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
	}
}

export const accepted = { outcome: "accepted" } as const;
export const refused = { outcome: "refused" } as const;
export const unavailable = {
	outcome: "unavailable",
	reason: expect.any(String),
	retryAfterSeconds: 5,
} as const;

/** Introspects a key, and returns the result or the error. */
export async function introspect(introspector: Introspector, key = KEY, address = ADDRESS) {
	try {
		const identity = await introspector.introspect(key, () => address);
		return identity === null ? refused : { ...accepted, identity };
	} catch (error) {
		if (!(error instanceof ResortError)) throw error;
		const { retryAfterSeconds } = error.details;
		const reason = error.cause === undefined ? {} : { reason: error.cause };
		return { outcome: error.code, retryAfterSeconds, ...reason };
	}
}

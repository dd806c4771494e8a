import type { OpenApiDocument } from "../../../src/guide/openapi.ts";

/** A request as it arrived. */
export interface Arrived {
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** A server on loopback that stands where a resort would: it has its document, and records what arrives. */
export class Recorder implements AsyncDisposable {
	readonly arrived: Arrived[] = [];
	/** What it answers to each request. */
	answer = (): Response => Response.json({ ok: true, message: "done" });
	readonly url: string;
	readonly #server: Bun.Server<undefined>;

	constructor(document: OpenApiDocument) {
		this.#server = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			routes: { "/openapi.json": Response.json(document) },
			fetch: (request) => this.#record(request),
		});
		this.url = this.#server.url.origin;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#server.stop(true);
	}

	async #record(request: Request): Promise<Response> {
		const { method, url } = request;
		const headers = Object.fromEntries(request.headers.entries());
		this.arrived.push({ method, url, headers, body: await request.text() });
		return this.answer();
	}
}

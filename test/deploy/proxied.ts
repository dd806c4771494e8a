import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Serving, serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { freePorts, type Site, sites, startNginx, writeNginx } from "./nginx.ts";

/** The options of a request through nginx. */
export interface Call {
	/** The address of this machine from which the request is sent. */
	readonly from?: string;
	readonly headers?: Record<string, string>;
	readonly body?: string;
}

/** A response whose body has been read. */
export interface Answered {
	readonly status: number | undefined;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** A running nginx in front of a server. */
export interface Proxied extends AsyncDisposable {
	readonly httpPort: number;
	readonly httpsPort: number;
	readonly folder: string;
	call(method: string, path: string, call?: Call): Promise<Answered>;
	/**
	 * Sends a request. Resolves when the header of the response has arrived; the body may still be incomplete.
	 */
	open(path: string): Promise<IncomingMessage>;
}

/** Starts nginx with deploy/nginx.conf. */
export function throughNginx(
	behind: (port: number, folder: string) => Promise<() => Promise<unknown>>,
	others: readonly (readonly [from: string, to: string])[] = [],
): Promise<Proxied> {
	return throughSite("nginx.conf", ([port = 0], folder) => behind(port, folder), others);
}

/** Starts nginx with a configuration of deploy/. */
export async function throughSite(
	site: Site,
	behind: (ports: readonly number[], folder: string) => Promise<() => Promise<unknown>>,
	others: readonly (readonly [from: string, to: string])[] = [],
): Promise<Proxied> {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder()).path;
	const [http = 0, https = 0, ...resort] = await freePorts(2 + sites[site]);
	const stop = await behind(resort, folder);
	opened.defer(async () => void (await stop()));
	const ports = { http, https, resort };
	const path = await writeNginx(folder, site, ports, others);
	const nginx = await startNginx(path, https);
	opened.defer(() => nginx.stop());
	const agent = new Agent({ keepAlive: true });
	opened.defer(() => agent.destroy());
	const open = opened.move();
	const send = (method: string, path: string, call: Call) =>
		sendTo({ agent, port: https, method, path }, call);
	return {
		httpPort: http,
		httpsPort: https,
		folder,
		async call(method, path, call = {}) {
			const answer = await send(method, path, call);
			const { statusCode: status, headers } = answer;
			return { status, headers, body: await text(answer) };
		},
		open: (path) => send("GET", path, {}),
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

/** A resort that can be restarted with the same database. */
export class Restarting {
	url = "";
	#serving: Serving | undefined;
	#start = async () => {};

	async start(port: number, cwd: string, flags: readonly string[] = []): Promise<() => Promise<unknown>> {
		const database = ["--database", join(cwd, "resort.sqlite")];
		const args = ["--ephemeral", "--port", `${port}`, ...database, ...flags];
		this.#start = async () => {
			this.#serving = await serve(args, { cwd });
			this.url = this.#serving.url;
		};
		await this.#start();
		return async () => this.#serving?.stop();
	}

	async restart(pauseMs: number): Promise<void> {
		await this.#serving?.stop();
		await Bun.sleep(pauseMs);
		await this.#start();
	}
}

/** Starts nginx with deploy/nginx.conf in front of an ephemeral resort with these flags. */
export function resortThroughNginx(flags: readonly string[]): Promise<Proxied> {
	return throughNginx(async (port, cwd) => {
		const args = ["--ephemeral", "--port", `${port}`, ...flags];
		const resort = await serve(args, { cwd });
		return () => resort.stop();
	});
}

function sendTo(options: RequestOptions, call: Call): Promise<IncomingMessage> {
	const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
	const sent = request(
		{
			...options,
			host: "127.0.0.1",
			localAddress: call.from ?? "127.0.0.2",
			headers: { "content-type": "application/json", ...call.headers },
			rejectUnauthorized: false,
		},
		resolve,
	);
	sent.on("error", reject);
	sent.end(call.body);
	return promise;
}

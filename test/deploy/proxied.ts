import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answers } from "../features/testing/testing-module/project.ts";
import { RemoteResort } from "../support/calls.ts";
import { root } from "../support/documents.ts";
import { serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { freePorts, type Replacements, type Site, sites, startNginx, writeNginx } from "./nginx.ts";

/** Starts what a proxy forwards to, at these ports. Returns what stops it. */
export type StartBehind = (ports: readonly number[], folder: string) => Promise<() => Promise<unknown>>;

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

/** A running proxy in front of a server. */
export interface Proxied extends AsyncDisposable {
	/** Calls the server through the proxy. */
	readonly resort: RemoteResort;
}

/** A running nginx in front of a server. */
export interface ThroughNginx extends Proxied {
	readonly httpPort: number;
	readonly folder: string;
	call(method: string, path: string, call?: Call): Promise<Answered>;
	/**
	 * Sends a request. Resolves when the header of the response has arrived; the body may still be incomplete.
	 */
	open(path: string): Promise<IncomingMessage>;
}

/** Starts nginx with a configuration of deploy/. */
export async function throughNginx(
	behind: StartBehind,
	others: Replacements = [],
	site: Site = "nginx.conf",
): Promise<ThroughNginx> {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder()).path;
	const [http = 0, https = 0, ...resort] = await freePorts(2 + sites[site]);
	const stop = await behind(resort, folder);
	opened.defer(async () => void (await stop()));
	const path = await writeNginx(folder, site, { http, https, resort }, others);
	const nginx = await startNginx(path, https);
	opened.defer(() => nginx.stop());
	const agent = new Agent({ keepAlive: true });
	opened.defer(() => agent.destroy());
	const open = opened.move();
	const send = (method: string, path: string, call: Call) =>
		sendTo({ agent, port: https, method, path }, call);
	return {
		resort: new RemoteResort(`https://127.0.0.1:${https}`, { tls: { rejectUnauthorized: false } }),
		httpPort: http,
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

/** Starts Caddy with deploy/Caddyfile, but without TLS. */
export async function throughCaddy(behind: StartBehind): Promise<Proxied> {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder());
	const [port, own = 0] = await freePorts(2);
	const stop = await behind([own], folder.path);
	opened.defer(async () => void (await stop()));
	const url = `http://127.0.0.1:${port}`;
	const configuration = readFileSync(join(root, "deploy/Caddyfile"), "utf8")
		.replace(/^\{$/m, "{\n\tadmin off")
		.replace(/^resort\.example\.com \{$/m, `${url} {`)
		.replace("127.0.0.1:3000", `127.0.0.1:${own}`);
	const args = ["run", "--adapter", "caddyfile", "--config", folder.write(configuration, "Caddyfile")];
	const caddy = Bun.spawn([toolPath("caddy") ?? "", ...args], {
		env: { HOME: folder.path },
		stdout: "ignore",
		stderr: "ignore",
	});
	opened.defer(async () => {
		caddy.kill();
		await caddy.exited;
	});
	await until(() => answers(url));
	const open = opened.move();
	return { resort: new RemoteResort(url), [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Starts an ephemeral resort with these flags. */
export function behindProxy(flags: readonly string[]): StartBehind {
	return async ([port], cwd) => (await serve(["--ephemeral", `--port=${port}`, ...flags], { cwd })).stop;
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

import { closeSync, openSync } from "node:fs";
import type { Logger } from "@logtape/logtape";
import type { Server, SocketAddress } from "bun";
import type { CoreConfig } from "../core/config/settings.ts";
import { type MatchedRequest, pathPatterns } from "../core/http/received-request.ts";
import { SECOND_MS } from "../core/lib/clock.ts";
import { codeOf } from "../core/lib/error-reason.ts";
import { listenAt } from "../core/server/ports.ts";

/** The idle timeout of connections. */
const IDLE_SECONDS = 60;

/** The interval at which the listener checks for free file descriptors. */
const CHECK_MS = SECOND_MS / 2;

/** The numbers of free file descriptors below which the listener pauses, and from which it resumes. */
const RESERVED_FILES = 16;
const FREE_TO_RESUME = 32;

/**
 * The maximum duration of a pause. By then, connections without a complete request occupy no file descriptors
 * any more, because Bun closes such connections after about 10 s.
 */
const MAX_PAUSE_MS = 15 * SECOND_MS;

/**
 * Accepts connections while file descriptors are free.
 *
 * At the limit of open files, Bun 1.4.5 retries `accept` in a loop, which uses a whole core
 * (https://github.com/oven-sh/bun/pull/32705). So the listener closes idle connections and, if that frees too
 * few file descriptors, stops listening until enough are free. Meanwhile, open connections continue.
 */
export class Listener {
	readonly hostname: string;
	readonly port: number;
	readonly #serve: (port: number) => Server<undefined>;
	/** The newest server: one starts after each pause. In Bun, its methods work for all open connections. */
	#server: Server<undefined>;
	/**
	 * The time, by `performance.now()`, at which the newest server stopped listening; null while it listens.
	 */
	#pausedAtMs: number | null = null;
	/** The newest server, and earlier servers with open connections. */
	readonly #servers = new Set<Server<undefined>>();
	readonly #timer: Timer;

	/** @throws StartError with exit code 1 if the port is not available */
	constructor(
		{ host, port }: CoreConfig,
		fetch: (request: MatchedRequest) => Response | Promise<Response>,
		private readonly log: Logger,
	) {
		this.#serve = (port) =>
			Bun.serve({
				hostname: host,
				port,
				// Requests are handled as routes, because only the parameters of a route contain the path as the
				// client sent it.
				routes: Object.fromEntries(pathPatterns.map((path) => [path, fetch])),
				fetch,
				development: false,
				reusePort: false,
				idleTimeout: IDLE_SECONDS,
				// Unlimited, because the body parser has its own limit and answers larger bodies with JSON.
				maxRequestBodySize: Number.MAX_SAFE_INTEGER,
				error: () => Response.json({ error: "Internal error" }, { status: 500 }),
			});
		this.#server = listenAt(`--host ${host} --port ${port}`, () => this.#serve(port));
		this.#servers.add(this.#server);
		this.hostname = this.#server.hostname ?? host;
		this.port = this.#server.port ?? port;
		this.#timer = setInterval(() => this.#check(), CHECK_MS);
	}

	/** The number of requests whose responses are incomplete. */
	get pendingRequests(): number {
		let sum = 0;
		for (const { pendingRequests } of this.#servers) sum += pendingRequests;
		return sum;
	}

	/** Returns the peer address of a request; null after the response was sent or the connection was closed. */
	requestIP(request: Request): SocketAddress | null {
		return this.#server.requestIP(request);
	}

	/** Sets the idle timeout of a request's connection. */
	timeout(request: Request, seconds: number): void {
		this.#server.timeout(request, seconds);
	}

	/**
	 * Stops accepting connections. Resolves when all connections are closed.
	 * @param closesActive whether to abort requests in flight
	 */
	async stop(closesActive = false): Promise<void> {
		clearInterval(this.#timer);
		await Promise.all([...this.#servers].map((one) => one.stop(closesActive)));
	}

	#check(): void {
		if (this.#pausedAtMs !== null) {
			const isLong = performance.now() - this.#pausedAtMs >= MAX_PAUSE_MS;
			if (isLong || canOpen(FREE_TO_RESUME)) this.#resume();
			return;
		}
		if (canOpen(RESERVED_FILES)) return;
		this.#server.closeIdleConnections();
		if (canOpen(RESERVED_FILES)) return;
		this.log.warn("connections refused: too many open files");
		this.#pausedAtMs = performance.now();
		const server = this.#server;
		server.stop().finally(() => this.#servers.delete(server));
	}

	#resume(): void {
		try {
			this.#server = this.#serve(this.port);
			this.#servers.add(this.#server);
			this.#pausedAtMs = null;
			this.log.info("connections accepted again");
		} catch (error) {
			// The next check retries.
			this.log.error("cannot accept connections again", { error: String(error) });
		}
	}
}

/**
 * Whether the process can open this many more files. Tries it, because limits differ between systems, and not
 * every system reports the number of open files. On Windows, which has no such limit, the result is true:
 * opening `/dev/null` fails there with an error other than EMFILE.
 */
function canOpen(files: number): boolean {
	const opened: number[] = [];
	try {
		while (opened.length < files) opened.push(openSync("/dev/null", "r"));
		return true;
	} catch (error) {
		return !["EMFILE", "ENFILE"].includes(codeOf(error));
	} finally {
		for (const descriptor of opened) closeSync(descriptor);
	}
}

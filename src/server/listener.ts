import type { Logger } from "@logtape/logtape";
import type { Server, SocketAddress } from "bun";
import { SECOND_MS } from "../lib/clock.ts";
import { canOpen } from "./descriptors.ts";

/** How often it is looked whether descriptors are left. */
const LOOK_MS = SECOND_MS / 2;

/** How many descriptors connections must leave for files, and how many must be free to accept new ones again. */
const RESERVE = { least: 16, again: 32 } as const;

/** The longest pause: the runtime ends connections that send no whole request after some 10 s. */
const MAX_PAUSE_MS = 15 * SECOND_MS;

/**
 * Accepts connections as long as file descriptors are left for them.
 *
 * At the limit of open files Bun 1.4.5 tries to accept the next connection again and again, which takes a
 * whole core and answers nobody (https://github.com/oven-sh/bun/pull/32705). So when descriptors run out, idle
 * connections are closed; when that is not enough, nothing is listened to until there are descriptors again.
 * Connections that are open go on meanwhile; new ones are refused at once.
 */
export class Listener {
	readonly hostname: string;
	readonly port: number;
	/** Null while nothing is accepted. */
	#server: Server<undefined> | null;
	/** Servers that no longer accept connections, but have not answered everything. */
	readonly #stopping = new Set<Server<undefined>>();
	readonly #timer: Timer;
	#pausedSinceMs = 0;
	#wasShort = false;
	#failure: string | null = null;

	/**
	 * @param serve listens on a port, each time anew
	 * @param port the first one; 0 for any that is free
	 * @throws what `serve` throws
	 */
	constructor(
		readonly serve: (port: number) => Server<undefined>,
		port: number,
		readonly log: Logger,
	) {
		const server = serve(port);
		this.#server = server;
		this.hostname = server.hostname ?? "";
		this.port = server.port ?? port;
		this.#timer = setInterval(() => this.#look(), LOOK_MS);
	}

	/** How many requests have no answer yet. */
	get pendingRequests(): number {
		return this.#all().reduce((sum, one) => sum + one.pendingRequests, 0);
	}

	/** The address at the other end of a request's connection; null when its answer is finished or it is closed. */
	requestIP(request: Request): SocketAddress | null {
		for (const server of this.#all()) {
			const peer = server.requestIP(request);
			if (peer !== null) return peer;
		}
		return null;
	}

	/** Lets the runtime close a request's connection once nothing has moved on it for so many seconds. */
	timeout(request: Request, seconds: number): void {
		for (const server of this.#all()) {
			if (server.requestIP(request) !== null) server.timeout(request, seconds);
		}
	}

	/** Closes connections over which nothing is asked. */
	closeIdleConnections(): void {
		this.#server?.closeIdleConnections();
	}

	/**
	 * Accepts nothing more; resolves when all connections are closed.
	 * @param closesActive whether requests in flight are cut off
	 */
	async stop(closesActive = false): Promise<void> {
		clearInterval(this.#timer);
		await Promise.all(this.#all().map((one) => one.stop(closesActive)));
	}

	#all(): Server<undefined>[] {
		return this.#server === null
			? [...this.#stopping]
			: [this.#server, ...this.#stopping];
	}

	#look(): void {
		if (this.#server === null) {
			const isLong = performance.now() - this.#pausedSinceMs >= MAX_PAUSE_MS;
			if (isLong || canOpen(RESERVE.again)) this.#resume();
			return;
		}
		const isShort = !canOpen(RESERVE.least);
		if (isShort) {
			this.#server.closeIdleConnections();
			if (this.#wasShort) this.#pause(this.#server);
		}
		this.#wasShort = isShort;
	}

	#pause(server: Server<undefined>): void {
		this.log.warn("connections refused: too many open files");
		this.#server = null;
		this.#pausedSinceMs = performance.now();
		this.#stopping.add(server);
		server.stop().finally(() => this.#stopping.delete(server));
	}

	#resume(): void {
		try {
			this.#server = this.serve(this.port);
			this.#wasShort = false;
			this.#failure = null;
			this.log.info("connections accepted again");
		} catch (error) {
			// The next look tries again; the same failure is told once.
			const failure = String(error);
			if (failure !== this.#failure) {
				this.log.error("cannot listen again", { error: failure });
			}
			this.#failure = failure;
		}
	}
}

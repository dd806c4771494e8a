import type { TCPSocketListener } from "bun";
import { handlers, Link, type Way } from "./link.ts";
import { steadyPort } from "./ports.ts";

/** How a proxy treats connections. */
type Mode = "pass" | "cut" | "blackhole" | "close";

/** Starts a proxy for the server that listens on that port of 127.0.0.1. */
export async function startProxy(targetPort: number): Promise<TestProxy> {
	return new TestProxy(await steadyPort(), targetPort);
}

/** A network of its own for one server on loopback, which a test can slow down and break. */
export class TestProxy implements Way, AsyncDisposable {
	delayMs = 0;
	#mode: Mode = "pass";
	#listener: TCPSocketListener<Link> | undefined;
	readonly #links = new Set<Link>();

	/** @param port where it listens on 127.0.0.1 */
	constructor(
		readonly port: number,
		public targetPort: number,
	) {
		this.#listen();
	}

	/** The same address, with the proxy's port. */
	url(of: string): string {
		const address = new URL(of);
		address.hostname = "127.0.0.1";
		address.port = `${this.port}`;
		return address.href;
	}

	/** Whether bytes are passed on: what has come before waits until then. */
	get isOpen(): boolean {
		return this.#mode === "pass";
	}

	/** From now on passes on each piece that long after it came, in each direction. */
	delay(delayMs: number): void {
		this.delayMs = delayMs;
	}

	/** Closes all connections and refuses new ones, as a server that does not run. */
	cut(): void {
		this.#enter("cut");
		this.#listener?.stop();
		this.#listener = undefined;
		this.#closeAll();
	}

	/** Keeps connections open, takes new ones, and passes nothing on, as a network that loses all. */
	blackhole(): void {
		this.#enter("blackhole");
	}

	/** Closes all connections, and new ones as soon as they are there, as a balancer without a server. */
	closeAtOnce(): void {
		this.#enter("close");
		this.#closeAll();
	}

	/** Passes on again, without delay; also what a black hole has kept. */
	heal(): void {
		this.delayMs = 0;
		this.#enter("pass");
		for (const link of [...this.#links]) link.flush();
	}

	/** Closes all connections; new ones go to another server. */
	retarget(port: number): void {
		this.targetPort = port;
		this.#closeAll();
	}

	/** Ends it, with its connections. */
	stop(): void {
		this.cut();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.stop();
	}

	#enter(mode: Mode): void {
		this.#mode = mode;
		if (mode !== "cut" && this.#listener === undefined) this.#listen();
	}

	#closeAll(): void {
		for (const link of [...this.#links]) link.close();
	}

	#listen(): void {
		this.#listener = Bun.listen<Link>({
			hostname: "127.0.0.1",
			port: this.port,
			allowHalfOpen: true,
			socket: {
				...handlers,
				open: (client) => {
					const forget = (link: Link) => this.#links.delete(link);
					const link = new Link(client, this, forget);
					client.data = link;
					this.#links.add(link);
					if (this.#mode === "close") link.close();
					else link.flush();
				},
			},
		});
	}
}

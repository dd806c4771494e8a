import { connect, createServer, type Server, type Socket } from "node:net";
import { steadyPort } from "../../../support/ports.ts";

type Mode = "pass" | "cut" | "blackhole" | "close";

/** Starts a proxy for the server that listens on that port of 127.0.0.1. */
export async function startProxy(targetPort: number): Promise<TestProxy> {
	return new TestProxy(await steadyPort(), targetPort);
}

/** A network of its own for one server on loopback, which a test can slow down and break. */
export class TestProxy implements AsyncDisposable {
	#mode: Mode = "pass";
	#delayMs = 0;
	#opening = Promise.withResolvers<void>();
	#server: Server | undefined;
	readonly #sockets = new Set<Socket>();

	constructor(
		readonly port: number,
		private readonly targetPort: number,
	) {
		this.#enter("pass");
	}

	url(of: string): string {
		const address = new URL(of);
		address.hostname = "127.0.0.1";
		address.port = `${this.port}`;
		return address.href;
	}

	/** From now on passes on each piece that long after it came, in each direction. */
	delay(delayMs: number): void {
		this.#delayMs = delayMs;
	}

	/** Closes all connections and refuses new ones, as a server that does not run. */
	cut(): void {
		this.#enter("cut");
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
		this.#delayMs = 0;
		this.#enter("pass");
	}

	stop(): void {
		this.cut();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.stop();
	}

	#enter(mode: Mode): void {
		this.#mode = mode;
		if (mode === "pass") this.#opening.resolve();
		else this.#opening = Promise.withResolvers();
		if (mode === "cut") {
			this.#server?.close();
			this.#server = undefined;
			return;
		}
		this.#server ??= createServer({ allowHalfOpen: true }, (client) => this.#connect(client)).listen(
			this.port,
			"127.0.0.1",
		);
	}

	#closeAll(): void {
		for (const socket of this.#sockets) socket.resetAndDestroy();
	}

	/** Connects a client to the server, as soon as connections are passed on. */
	async #connect(client: Socket): Promise<void> {
		this.#add(client);
		if (this.#mode === "close") client.destroy();
		await this.#opening.promise;
		if (client.destroyed) return;
		const { targetPort: port } = this;
		const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		this.#add(server);
		this.#pass(client, server);
		this.#pass(server, client);
	}

	#add(socket: Socket): void {
		this.#sockets.add(socket);
		socket.setNoDelay();
		socket.on("error", () => {});
		socket.on("close", () => this.#sockets.delete(socket));
	}

	/** Passes on what comes, in its order, no sooner than the delay says. */
	#pass(source: Socket, target: Socket): void {
		let passed = Promise.resolve();
		const passLater = (pass: () => void) => {
			const due = this.#delayMs > 0 ? Bun.sleep(this.#delayMs) : undefined;
			passed = passed
				.then(() => due)
				.then(() => this.#opening.promise)
				.then(pass);
		};
		source.on("data", (bytes) => passLater(() => target.write(bytes)));
		source.on("end", () => passLater(() => target.end()));
		source.on("close", (isLost) => passLater(() => (isLost ? target.destroy() : target.end())));
	}
}

import { connect, createServer, type Server, type Socket } from "node:net";
import { steadyPort } from "../../../support/ports.ts";

type Mode = "pass" | "cut" | "blackhole" | "close";

/** Starts a proxy on a free port of 127.0.0.1, in front of the server at `targetPort`. */
export async function startProxy(targetPort: number): Promise<TestProxy> {
	return new TestProxy(await steadyPort(), targetPort);
}

/** A TCP proxy in front of a server. Tests use it to delay and interrupt the network. */
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

	/** Delays all data in each direction from now on. */
	delay(delayMs: number): void {
		this.#delayMs = delayMs;
	}

	/** Closes all connections and refuses new ones, like a server that does not run. */
	cut(): void {
		this.#enter("cut");
		this.#closeAll();
	}

	/** Accepts and keeps connections, but forwards nothing, like a network that loses all packets. */
	blackhole(): void {
		this.#enter("blackhole");
	}

	/** Closes all connections, and each new one immediately, like a load balancer without a server. */
	closeAtOnce(): void {
		this.#enter("close");
		this.#closeAll();
	}

	/** Forwards data without delay again, including the data that `blackhole` has kept. */
	heal(): void {
		this.#delayMs = 0;
		this.#enter("pass");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.cut();
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

	/** Waits until the proxy forwards connections, and then connects a client to the server. */
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

	/** Forwards data in order, each part after the current delay. */
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

import type { Socket } from "bun";
import { type Passage, type Piece, Pipe } from "./pipe.ts";

/** What a link asks its proxy. */
export interface Way extends Passage {
	readonly targetPort: number;
}

/** A connection through the proxy: the client's, and one to the server that is made when the way is open. */
export class Link {
	#server: Socket<Link> | undefined;
	#isConnecting = false;
	#isClosed = false;
	#passedEnds = 0;
	readonly #toServer: Pipe;
	readonly #toClient: Pipe;

	/** @param onClose is called once, when both connections are over */
	constructor(
		private readonly client: Socket<Link>,
		private readonly way: Way,
		private readonly onClose: (link: Link) => void,
	) {
		const own = () => client;
		const server = () => this.#server;
		this.#toServer = new Pipe(
			{ source: own, target: server, onOver: (p) => this.#over(p, server()) },
			way,
		);
		this.#toClient = new Pipe(
			{ source: server, target: own, onOver: (p) => this.#over(p, client) },
			way,
		);
	}

	/** Takes what came at one of the two connections. */
	receive(from: Socket<Link>, piece: Piece): void {
		if (this.#isClosed) return;
		(from === this.client ? this.#toServer : this.#toClient).push(piece);
	}

	/** Passes on what waits; the first time it connects to the server. */
	flush(): void {
		if (this.way.isOpen && !this.#isConnecting) this.#connect();
		this.#toServer.flush();
		this.#toClient.flush();
	}

	/** Closes both connections at once, whatever waits. */
	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#toServer.stop();
		this.#toClient.stop();
		this.client.terminate();
		this.#server?.terminate();
		this.onClose(this);
	}

	#connect(): void {
		this.#isConnecting = true;
		Bun.connect<Link>({
			hostname: "127.0.0.1",
			port: this.way.targetPort,
			allowHalfOpen: true,
			data: this,
			socket: handlers,
		}).then(
			(server) => {
				this.#server = server;
				if (this.#isClosed) server.terminate();
				else this.flush();
			},
			() => this.close(),
		);
	}

	#over(piece: "end" | "loss", target: Socket<Link> | undefined): void {
		if (piece === "loss") {
			this.close();
			return;
		}
		target?.shutdown();
		this.#passedEnds++;
		if (this.#passedEnds < 2) return;
		// Not close(): what the two have not read yet must not be lost.
		this.#isClosed = true;
		this.client.end();
		this.#server?.end();
		this.onClose(this);
	}
}

/** What both connections of a link do. */
export const handlers = {
	data(socket: Socket<Link>, bytes: Buffer) {
		socket.data.receive(socket, bytes);
	},
	drain(socket: Socket<Link>) {
		socket.data.flush();
	},
	end(socket: Socket<Link>) {
		socket.data.receive(socket, "end");
	},
	/** Without an error the other side has ended too, after this one: then `end` is not called. */
	close(socket: Socket<Link>, error?: Error) {
		socket.data.receive(socket, error === undefined ? "end" : "loss");
	},
	error() {},
};

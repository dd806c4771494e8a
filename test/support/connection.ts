import { connect, type Socket } from "node:net";

/** An answer, read. */
export interface RawAnswer {
	readonly status: number;
	readonly body: Buffer<ArrayBuffer>;
	/** The value of a header field; null when there is none. */
	field(name: string): string | null;
}

/**
 * A keep-alive connection that sends requests byte by byte, and connects again when the server has closed it.
 */
export class Connection {
	#socket: Socket | null = null;
	#received = Buffer.alloc(0);
	#wake = () => {};

	constructor(readonly port: number) {}

	async ask(request: string, body: string | Uint8Array | null = null): Promise<RawAnswer> {
		this.#socket ??= this.#connect();
		this.#socket.write(request, "latin1");
		if (body !== null) this.#socket.write(body);
		const head = await this.#readTo("\r\n\r\n");
		const status = Number(head.slice(9, 12));
		const field = (name: string) => new RegExp(`\\r\\n${name}: *([^\\r]*)`, "i").exec(head)?.[1] ?? null;
		const isBare = request.startsWith("HEAD ") || status === 204 || status === 304;
		const read = isBare ? Buffer.alloc(0) : await this.#readBody(field("content-length"));
		if (/^close$/i.test(field("connection") ?? "")) this.destroy();
		return { status, body: read, field };
	}

	destroy(): void {
		this.#socket?.destroy();
		this.#socket = null;
	}

	#connect(): Socket {
		const { port } = this;
		this.#received = Buffer.alloc(0);
		const socket = connect({ port, host: "127.0.0.1", noDelay: true });
		socket.on("data", (chunk: Buffer<ArrayBuffer>) => {
			this.#received = Buffer.concat([this.#received, chunk]);
			this.#wake();
		});
		for (const event of ["end", "close", "error"]) {
			socket.on(event, () => {
				if (this.#socket === socket) this.#socket = null;
				this.#wake();
			});
		}
		return socket;
	}

	async #readBody(length: string | null): Promise<Buffer<ArrayBuffer>> {
		if (length !== null) return this.#read(Number(length));
		const chunks: Buffer[] = [];
		for (let size = -1; size !== 0; ) {
			size = Number.parseInt(await this.#readTo("\r\n"), 16);
			chunks.push(await this.#read(size));
			await this.#read(2);
		}
		return Buffer.concat(chunks);
	}

	async #readTo(end: string): Promise<string> {
		let at = this.#received.indexOf(end);
		while (at < 0) {
			await this.#more();
			at = this.#received.indexOf(end);
		}
		const text = await this.#read(at);
		await this.#read(end.length);
		return text.toString("latin1");
	}

	async #read(bytes: number): Promise<Buffer<ArrayBuffer>> {
		while (this.#received.length < bytes) await this.#more();
		const read = this.#received.subarray(0, bytes);
		this.#received = this.#received.subarray(bytes);
		return read;
	}

	#more(): Promise<void> {
		return new Promise((resolve, reject) => {
			const settle = () => (this.#socket === null ? reject(new Error("the server hung up")) : resolve());
			this.#wake = settle;
			if (this.#socket === null) settle();
		});
	}
}

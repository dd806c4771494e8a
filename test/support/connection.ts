import { connect, type Socket } from "node:net";

/** The head of an answer, whose body has been read. */
export interface Head {
	readonly status: number;
	/** The status line and the header fields. */
	readonly text: string;
	/** The value of a header field; null when there is none. */
	field(name: string): string | null;
}

/**
 * A keep-alive connection that sends what it is given, byte by byte: unlike a client library it changes nothing
 * about targets, `Host` or other fields.
 */
export class Connection {
	readonly #socket: Socket;
	#received = Buffer.alloc(0);
	#wake = () => {};
	#isOver = false;
	#into: Buffer[] | null = null;

	constructor(port: number) {
		this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
		this.#socket.on("data", (chunk: Buffer<ArrayBuffer>) => {
			this.#received =
				this.#received.length === 0
					? chunk
					: Buffer.concat([this.#received, chunk]);
			this.#wake();
		});
		for (const event of ["end", "close", "error"]) {
			this.#socket.on(event, () => {
				this.#isOver = true;
				this.#wake();
			});
		}
	}

	/** Whether the server has ended it. */
	get isOver(): boolean {
		return this.#isOver;
	}

	/**
	 * Sends a request and reads its answer.
	 * @param request its head, in Latin-1
	 * @param body of the request
	 * @param into takes up the body of the answer, which is thrown away otherwise
	 * @throws Error when the connection ends before the answer does
	 */
	async ask(
		request: string,
		body: string | Uint8Array | null = null,
		into: Buffer[] | null = null,
	): Promise<Head> {
		this.#into = into;
		this.#socket.write(request, "latin1");
		if (body !== null) this.#socket.write(body);
		let end = this.#received.indexOf("\r\n\r\n");
		while (end < 0) {
			await this.#more();
			end = this.#received.indexOf("\r\n\r\n");
		}
		const text = this.#received.toString("latin1", 0, end);
		this.#take(end + 4);
		const status = Number(text.slice(9, 12));
		const isBare =
			request.startsWith("HEAD ") || status === 204 || status === 304;
		if (!isBare) await this.#readBody(text);
		return { status, text, field: (name) => fieldOf(text, name) };
	}

	destroy(): void {
		this.#socket.destroy();
	}

	async #readBody(head: string): Promise<void> {
		const length = fieldOf(head, "content-length");
		if (length !== null) return this.#read(Number(length));
		for (let size = -1; size !== 0; ) {
			let end = this.#received.indexOf("\r\n");
			while (end < 0) {
				await this.#more();
				end = this.#received.indexOf("\r\n");
			}
			size = Number.parseInt(this.#received.toString("latin1", 0, end), 16);
			this.#take(end + 2);
			await this.#read(size);
			while (this.#received.length < 2) await this.#more();
			this.#take(2);
		}
	}

	async #read(bytes: number): Promise<void> {
		let left = bytes;
		while (left > this.#received.length) {
			left -= this.#received.length;
			this.#into?.push(this.#received);
			this.#received = Buffer.alloc(0);
			await this.#more();
		}
		this.#into?.push(this.#received.subarray(0, left));
		this.#take(left);
	}

	#take(bytes: number): void {
		this.#received = this.#received.subarray(bytes);
	}

	#more(): Promise<void> {
		return new Promise((resolve, reject) => {
			if (this.#isOver) reject(new Error("the server hung up"));
			this.#wake = () => {
				if (this.#isOver) reject(new Error("the server hung up"));
				else resolve();
			};
		});
	}
}

function fieldOf(head: string, name: string): string | null {
	return new RegExp(`\\r\\n${name}: *([^\\r]*)`, "i").exec(head)?.[1] ?? null;
}

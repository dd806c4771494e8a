import { Connection, type Head } from "../support/connection.ts";
import type { Sent } from "./fuzz-guests.ts";

/** An answer, read. */
interface Answered extends Omit<Head, "text"> {
	readonly text: string;
}

/**
 * Sends requests as they were drawn, one after the other: a client of the runtime would resolve dots, leave out slashes
 * and judge header fields itself. It connects again when the server has hung up after an answer.
 */
export class Line {
	readonly #port: number;
	#connection: Connection | null = null;

	constructor(port: number) {
		this.#port = port;
	}

	/**
	 * @param patienceMs how long it may take
	 * @throws Error when no whole answer comes in time
	 */
	async send(sent: Sent, patienceMs: number): Promise<Answered> {
		if (this.#connection === null || this.#connection.isOver) {
			this.#connection = new Connection(this.#port);
		}
		const connection = this.#connection;
		const patience = setTimeout(() => connection.destroy(), patienceMs);
		try {
			const parts: Buffer[] = [];
			const head = await connection.ask(headOf(sent), sent.body, parts);
			const coding = head.field("content-encoding");
			const text = decode(Buffer.concat(parts), coding);
			if (/^close$/i.test(head.field("connection") ?? "")) this.close();
			return { ...head, text };
		} catch (error) {
			this.close();
			throw error;
		} finally {
			clearTimeout(patience);
		}
	}

	/** Hangs up. */
	close(): void {
		this.#connection?.destroy();
		this.#connection = null;
	}
}

function headOf({ method, target, headers, body }: Sent): string {
	const isEmpty = body === null && (method === "GET" || method === "HEAD");
	const fields = {
		Host: "resort.test",
		...(!isEmpty && { "content-length": Buffer.byteLength(body ?? "") }),
		...headers,
	};
	const lines = Object.entries(fields).map(
		([name, value]) => `${name}: ${value}\r\n`,
	);
	return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function decode(bytes: Buffer<ArrayBuffer>, coding: string | null): string {
	if (bytes.length === 0 || coding === null) return bytes.toString();
	const plain =
		coding === "zstd" ? Bun.zstdDecompressSync(bytes) : Bun.gunzipSync(bytes);
	return new TextDecoder().decode(plain);
}

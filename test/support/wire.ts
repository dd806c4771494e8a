import { connect, type Socket } from "node:net";
import { until } from "./until.ts";

/** The maximum duration of an exchange. */
const PATIENCE_MS = 5_000;

/** A response as received on a connection. */
export interface WireAnswer {
	readonly status: number;
	readonly head: string;
	readonly body: string;
}

/** The bytes to write to a connection, and the condition that ends the exchange. */
export interface Exchange {
	/** The texts to send, encoded in Latin-1, so that a text can contain any byte. */
	readonly parts: readonly string[];
	/** Whether the client closes its side of the connection after the last part. */
	readonly end?: boolean;
	/**
	 * The number of responses after which the client disconnects. The exchange also ends when the server closes
	 * the connection.
	 */
	readonly answers?: number;
}

/** Writes to a connection, and returns the complete responses. Throws if the responses take too long. */
export async function exchange(port: number, { answers = 1, ...sent }: Exchange): Promise<WireAnswer[]> {
	const isDone = (received: Buffer) => readAnswers(received).length >= answers;
	return readAnswers(await talk(port, sent, isDone));
}

/**
 * Like {@link exchange}, but waits until the server closes the connection, and returns all received bytes as
 * text.
 */
export async function transcript(port: number, sent: Exchange): Promise<string> {
	return (await talk(port, sent, () => false)).toString("latin1");
}

function talk(
	port: number,
	{ parts, end = false }: Exchange,
	isDone: (received: Buffer) => boolean,
): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		let received = Buffer.alloc(0);
		const socket = connect(port, "127.0.0.1", () => {
			for (const part of parts) socket.write(part, "latin1");
			if (end) socket.end();
		});
		const patience = setTimeout(() => {
			socket.destroy();
			reject(new Error(`hangs after ${JSON.stringify(`${received}`)}`));
		}, PATIENCE_MS);
		const settle = () => {
			clearTimeout(patience);
			socket.destroy();
			resolve(received);
		};
		socket.on("data", (chunk: Buffer) => {
			received = Buffer.concat([received, chunk]);
			if (isDone(received)) settle();
		});
		// A server that closes a connection without reading all bytes causes an error (ECONNRESET) here.
		socket.on("error", settle);
		socket.on("close", settle);
	});
}

/** Returns the complete responses in the received bytes, except those with the status 100 (Continue). */
function readAnswers(received: Buffer): WireAnswer[] {
	const answers: WireAnswer[] = [];
	let rest = received;
	for (;;) {
		const end = rest.indexOf("\r\n\r\n");
		if (end < 0) return answers;
		const head = rest.toString("latin1", 0, end);
		const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
		if (rest.length < end + 4 + length) return answers;
		const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
		const body = rest.toString("utf8", end + 4, end + 4 + length);
		if (status !== 100) answers.push({ status, head, body });
		rest = rest.subarray(end + 4 + length);
	}
}

/** A client that sends a request, but reads the response only when `readToEnd` is called. */
export type SilentReader = ReturnType<typeof silentReader>;

/** @param headers complete lines, each with its CRLF */
export function silentReader(port: number, path: string, headers = "") {
	const socket: Socket = connect(port, "127.0.0.1");
	const chunks: Buffer[] = [];
	let isClosed = false;
	socket.on("error", () => {});
	socket.on("close", () => {
		isClosed = true;
	});
	socket.pause();
	socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
	return {
		async readToEnd() {
			socket.on("data", (chunk: Buffer) => chunks.push(chunk));
			socket.resume();
			await until(() => isClosed);
			return Buffer.concat(chunks);
		},
		leave() {
			socket.destroy();
		},
	};
}

import { connect, type Socket } from "node:net";
import { until } from "./until.ts";

/** A client that sends a request and reads only on command. */
export type SilentReader = ReturnType<typeof silentReader>;

/** @param headers whole lines, each with its CRLF */
export function silentReader(port: number, path: string, headers = "") {
	const socket: Socket = connect(port, "127.0.0.1");
	const chunks: Buffer[] = [];
	const state = { bytes: 0, closed: false };
	socket.on("error", () => {});
	socket.on("close", () => {
		state.closed = true;
	});
	socket.pause();
	socket.write(
		`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`,
	);
	let enough = Number.POSITIVE_INFINITY;
	const listen = () =>
		socket.on("data", (chunk: Buffer) => {
			chunks.push(chunk);
			state.bytes += chunk.length;
			if (state.bytes >= enough) socket.pause();
		});
	return {
		/** The number of bytes read, and whether the connection is closed. */
		state,
		async readUpTo(bytes: number) {
			enough = bytes;
			listen();
			socket.resume();
			await until(() => state.bytes >= bytes);
		},
		async readToEnd() {
			enough = Number.POSITIVE_INFINITY;
			if (socket.listenerCount("data") === 0) listen();
			socket.resume();
			await until(() => state.closed);
			return Buffer.concat(chunks);
		},
		leave() {
			socket.destroy();
		},
	};
}

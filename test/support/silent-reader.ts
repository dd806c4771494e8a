import { connect, type Socket } from "node:net";
import { until } from "./until.ts";

/** A client that sends a request and reads only on command. */
export type SilentReader = ReturnType<typeof silentReader>;

/** @param headers whole lines, each with its CRLF */
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

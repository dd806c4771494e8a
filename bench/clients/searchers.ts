/**
 * Strangers who search the event log as fast as they can, each of ten networks with 30 connections. A
 * loopback address counts as a network.
 *
 *     bun bench/clients/searchers.ts URL PATH ACCEPT
 *
 * It prints a line when the first answer has come, and ends when its stdin does.
 */
import { connect } from "node:net";

const NETWORKS = 10;
const CONNECTIONS = 30;

process.stdin.on("end", () => process.exit()).resume();

const [url = "", path = "", accept = ""] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: ${accept}\r\n\r\n`;
let answers = 0;

for (let network = 0; network < NETWORKS; network++) {
	for (let at = 0; at < CONNECTIONS; at++) ask(`127.0.1.${network + 1}`);
}

function ask(localAddress: string): void {
	const socket = connect({ port: Number(port), host: hostname, localAddress });
	const repeat = () => socket.write(request);
	socket.on("connect", repeat);
	socket.on("error", () => {});
	socket.on("close", () => ask(localAddress));
	socket.on("data", (chunk) => {
		if (++answers === 1) process.stdout.write("\n");
		// An answer fits into a packet; a stream goes on by itself.
		if (chunk.includes("content-length") || chunk.includes("Content-Length")) {
			repeat();
		}
	});
}

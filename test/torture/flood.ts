/**
 * Sends requests over many connections: `bun test/torture/flood.ts`, with a {@link Flood} as JSON on stdin.
 * Each connection sends its next request as soon as the previous one is answered. This is a separate process,
 * so that it does not delay the measured calls. Prints the number of responses at the end.
 */
import { connect } from "node:net";

/** A flood of one kind of request. */
export interface Flood {
	readonly port: number;
	readonly connections: number;
	readonly seconds: number;
	/** The complete requests. The connections together send one after another, and repeat them at the end. */
	readonly requests: readonly string[];
	/** The data that is also sent on each connection about every 100 ms; empty for none. */
	readonly drip: string;
}

if (import.meta.main) {
	const flood: Flood = await Bun.stdin.json();
	process.stdout.write(JSON.stringify({ answers: await send(flood) }));
	process.exit();
}

/** Sends a flood. Returns the number of complete responses; a response that is still open does not count. */
async function send({ port, connections, seconds, requests, drip }: Flood): Promise<number> {
	const endMs = performance.now() + seconds * 1_000;
	let answers = 0;
	let sent = 0;
	const open = () => {
		const at = sent++;
		const request = () => requests[sent++ % requests.length] ?? "";
		const socket = connect({ port, host: "127.0.0.1" });
		let head = "";
		let bodyLeft = 0;
		let isReadingHead = true;
		const next = () => {
			head = "";
			isReadingHead = true;
			socket.write(request());
		};
		socket.on("connect", next);
		socket.on("data", (data) => {
			if (!isReadingHead) {
				bodyLeft -= data.length;
			} else {
				head += data.toString("latin1");
				const end = head.indexOf("\r\n\r\n");
				if (end < 0) return;
				isReadingHead = false;
				const length = /^content-length: (\d+)/im.exec(head)?.[1];
				// A response without Content-Length is a stream, which ends with its connection.
				bodyLeft = Number(length ?? Infinity) - (head.length - end - 4);
				if (requests[0]?.startsWith("HEAD ") || head.startsWith("HTTP/1.1 304")) bodyLeft = 0;
			}
			if (bodyLeft > 0) return;
			answers++;
			next();
		});
		const dripping = drip === "" ? null : setInterval(() => socket.write(drip), 100 + (at % 7));
		socket.on("error", () => {});
		socket.on("close", () => {
			if (dripping !== null) clearInterval(dripping);
			if (performance.now() < endMs) setTimeout(open, 10);
		});
	};
	for (let at = 0; at < connections; at++) open();
	await Bun.sleep(endMs - performance.now());
	return answers;
}

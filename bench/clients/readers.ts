/**
 * Many readers in one process, over bare connections, so that they cost the machine little: streams of
 * events, and calls that wait for the status of an agent.
 *
 *     bun bench/clients/readers.ts URL STREAMS CALLS AGENT_ID
 *
 * Prints a line of JSON when all of them wait, and another one when all have received the agent's check-out:
 * the times of the last stream and of the last call, in milliseconds since the epoch. Ends when its stdin
 * ends.
 */
import { connect, type Socket } from "node:net";

process.stdin.on("end", () => process.exit()).resume();

const [url = "", streams = "0", calls = "0", agentId = ""] = process.argv.slice(2);
const { hostname, port } = new URL(url);

/** The pause after which the sent calls wait at the server. */
const SETTLE_MS = 500;

function ask(path: string, accept: string): Socket {
	const socket = connect(Number(port), hostname);
	socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: ${accept}\r\n\r\n`);
	return socket;
}

/** Opens readers; gives the time at which the last of them saw a text for the first time. */
function all(count: number, open: () => Socket, texts: readonly string[]): Promise<number>[] {
	const received = texts.map(() => Promise.withResolvers<number>());
	const left = texts.map(() => count);
	for (let at = 0; at < count; at++) {
		const socket = open();
		let next = 0;
		socket.on("data", (chunk) => {
			const text = chunk.toString("latin1");
			while (next < texts.length && text.includes(texts[next] ?? "")) {
				left[next] = (left[next] ?? 0) - 1;
				if (left[next] === 0) received[next]?.resolve(Date.now());
				next++;
			}
		});
	}
	if (count === 0) for (const one of received) one.resolve(0);
	return received.map(({ promise }) => promise);
}

const [begun, streamsAt] = all(
	Number(streams),
	() => ask("/api/events?types=agent.available", "text/event-stream"),
	["retry:", agentId],
);
const wait = `/api/agents/${agentId}/status?until=available&wait=60`;
const [callsAt] = all(Number(calls), () => ask(wait, "*/*"), ["available"]);
await begun;
await Bun.sleep(SETTLE_MS);
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
const delivered = { streamsAt: await streamsAt, callsAt: await callsAt };
process.stdout.write(`${JSON.stringify(delivered)}\n`);

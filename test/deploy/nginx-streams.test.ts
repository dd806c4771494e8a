import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";
import { ANY_CLIENT, nginxTools } from "../support/nginx.ts";
import { resortThroughNginx } from "../support/proxied.ts";
import { testsWith } from "../support/tools.ts";

const test = testsWith(...nginxTools);

const NETWORKS = 27;
const STREAMS_OF_NETWORK = 30;

/** Of a /48; see src/pipeline/concurrency-limit.ts. */
const MAX_STREAMS = 300;

/** Opens a stream on a connection of its own; returns the status, 0 if the connection was closed. */
async function openStream(port: number, address: string) {
	const { promise, resolve } = Promise.withResolvers<number>();
	const socket: TLSSocket = connect({
		...{ port, host: "127.0.0.1", localAddress: ANY_CLIENT },
		rejectUnauthorized: false,
	});
	socket.write(
		`GET /api/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nX-Test-Client: ${address}\r\n\r\n`,
	);
	socket.once("data", (data) => resolve(Number(`${data}`.slice(9, 12))));
	socket.on("error", () => resolve(0));
	socket.on("close", () => resolve(0));
	return { socket, status: await promise };
}

test("27 /64 of one /48 with 30 streams each hold 300, and others are served", async () => {
	await using context = await resortThroughNginx([
		...["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"],
	]);
	const main = readFileSync(`${context.folder}/nginx.conf`, "utf8");
	expect(main).toContain("worker_rlimit_nofile 65536;");
	expect(main).toContain("worker_connections 32768;");
	const streams = await Promise.all(
		Array.from({ length: NETWORKS * STREAMS_OF_NETWORK }, (_, at) =>
			openStream(
				context.httpsPort,
				`2001:db8:1:${((at % NETWORKS) * 256).toString(16)}::1`,
			),
		),
	);
	const statuses = streams.map(({ status }) => status);
	const count = (status: number) =>
		statuses.filter((one) => one === status).length;
	expect({ open: count(200), refused: count(429) }).toEqual({
		open: MAX_STREAMS,
		refused: statuses.length - MAX_STREAMS,
	});
	const times: number[] = [];
	for (let at = 0; at < 50; at++) {
		const startedAt = performance.now();
		const { status } = await context.call("GET", "/api/health");
		times.push(performance.now() - startedAt);
		expect(status).toBe(200);
	}
	const [median = 0] = times.sort((a, b) => a - b).slice(25);
	expect(median).toBeLessThan(20);
	for (const { socket } of streams) socket.destroy();
});

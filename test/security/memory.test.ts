import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Connection } from "../support/connection.ts";
import { useServer } from "../support/wire.ts";

const server = useServer();

/** The memory that a process holds (VmRSS of /proc), in MiB. */
function memoryMib(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Sends so many requests over some connections; what is answered does not matter. */
async function send(count: number, request: (at: number) => string) {
	let sent = 0;
	const work = async () => {
		const connection = new Connection(server.port);
		while (sent < count) await connection.ask(request(sent++));
		connection.destroy();
	};
	await Promise.all(Array.from({ length: 8 }, work));
}

// What 10,000 heads hold together is 150 MB.
test.each<[name: string, host: string, fields: string]>([
	["a Host", `${"h".repeat(14_900)}.test`, ""],
	[
		"the longest Host and a field",
		`${"h".repeat(250)}.test`,
		`x: ${"f".repeat(14_500)}\r\n`,
	],
])(
	"memory does not hold %s of 15 KB of requests with junk in their queries",
	async (_, host, fields) => {
		const targets = [
			(at: number) => `/api/postcards?${at}`,
			(at: number) => `/api/experiences?category=${at}`,
			(at: number) => `/api/experiences?limit=1&offset=${at}`,
		];
		const request = (at: number) =>
			`GET ${targets[at % 3]?.(at)} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;
		await send(500, request);
		const before = memoryMib(server.pid);
		await send(10_000, (at) => request(at + 500));
		expect(memoryMib(server.pid) - before).toBeLessThan(110);
	},
	60_000,
);

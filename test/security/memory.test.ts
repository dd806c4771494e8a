import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { serve, sources, warningsIn } from "../support/executable.ts";
import { memoryMib, processorMs } from "../support/processes.ts";
import { expectNoWarnings, useServer } from "../support/use-resort.ts";
import { exchange } from "../support/wire.ts";

const server = useServer(["serve", "--ephemeral"], { program: sources }, expectNoWarnings);

test("4,000 incomplete request bodies use less than 200 MiB, and a complete request succeeds", async () => {
	const flags = ["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"];
	const limited = await serve(["serve", "--ephemeral", ...flags], { cwd: "/", program: sources });
	const before = memoryMib(limited.pid, "VmRSS");
	// All incomplete bodies together may take at most 128 MiB. Without this limit, the bodies sent here would
	// take 250 MiB. Each body is received or refused before the next one is sent.
	const sockets: Socket[] = [];
	for (let at = 0; at < 4_000; at++) {
		const head = `POST /api/agents HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.1.${at >> 8}.${at & 255}\r\nContent-Type: application/json\r\nContent-Length: 65000\r\n\r\n`;
		const socket = connect(limited.port, "127.0.0.1");
		socket.on("error", () => {});
		sockets.push(socket);
		await new Promise((sent) => socket.write(head + " ".repeat(64_900), sent));
	}
	const { agent } = await limited.send("POST", "/api/agents", { body: { name: "Ada" } });
	expect(agent.name).toBe("Ada");
	expect(memoryMib(limited.pid, "VmRSS") - before).toBeLessThan(200);
	for (const socket of sockets) socket.destroy();
	for (const line of warningsIn(await limited.stop())) {
		expect(line).toContain("Too many incomplete requests");
	}
});

test("request bodies in chunks of one byte take little processor time", async () => {
	const chunks = "1\r\n \r\n".repeat(60_000);
	const head = "POST /api/agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
	const beforeMs = processorMs(server.pid);
	for (let at = 0; at < 20; at++) {
		const parts = [`${head}${chunks}0\r\n\r\n`];
		const [answer] = await exchange(server.port, { parts });
		expect(answer?.status).toBe(400);
	}
	// The bodies take 140 ms if the runtime joins their chunks before they are read, otherwise 1,200 ms.
	expect(processorMs(server.pid) - beforeMs).toBeLessThan(500);
});

test("the response cache keeps the paths of requests, but not their header fields", async () => {
	const headers = { host: `${"h".repeat(250)}.test`, x: "f".repeat(14_500) };
	const paths = ["/api/postcards?", "/api/experiences?category=", "/api/experiences?limit=1&offset="];
	let sent = 0;
	const send = async (total: number) => {
		while (sent < total) {
			const path = `${paths[sent % 3]}${sent++}`;
			await (await fetch(server.url + path, { headers })).bytes();
		}
	};
	/** Sends requests over 8 connections until `total` requests have been sent since the start of the test. */
	const sendTo = (total: number) => Promise.all(Array.from({ length: 8 }, () => send(total)));
	await sendTo(500);
	const before = memoryMib(server.pid, "VmRSS");
	await sendTo(10_500);
	// If the cache kept the header fields of these 10,000 requests too, it would take 150 MB.
	expect(memoryMib(server.pid, "VmRSS") - before).toBeLessThan(110);
}, 60_000);

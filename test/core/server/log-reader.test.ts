import { describe, expect, test } from "bun:test";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { executable } from "../../support/executable.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { linesOf } from "./log-of.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;

/** A number of lines that the pipe and the buffers cannot hold. */
const MANY = 10_000;

/** Starts a resort that writes its log to a named pipe. */
async function serveTo(path: string) {
	const child = Bun.spawn(["sh", "-c", 'exec "$0" --ephemeral 2>"$LOG"', executable], {
		cwd,
		env: { LOG: path },
		stdout: "pipe",
		stderr: "inherit",
	});
	for await (const chunk of child.stdout) {
		const { url } = JSON.parse(new TextDecoder().decode(chunk));
		return { child, url: String(url) };
	}
	throw new Error("no ready line");
}

/** Sends requests, 20 at a time. Returns the number of responses with the status 200. */
async function callMany(url: string, count: number): Promise<number> {
	let sent = 0;
	let answered = 0;
	const worker = async () => {
		while (sent < count) {
			const id = String(++sent).padStart(128, "0");
			const response = await fetch(`${url}/api/lobby`, { headers: { "x-request-id": id } });
			if (response.status === 200) answered++;
			await response.arrayBuffer();
		}
	};
	await Promise.all(Array.from({ length: 20 }, worker));
	return answered;
}

/** Creates a named pipe, and opens it for reading without reading. */
async function unreadPipe(name: string) {
	const path = join(cwd, name);
	await $`mkfifo ${path}`;
	const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	return { path, end };
}

describe("a log whose reader does not read", () => {
	test("does not delay requests, and later contains the number of dropped lines", async () => {
		const { path, end } = await unreadPipe("late");
		const { child, url } = await serveTo(path);
		expect(await callMany(url, MANY)).toBe(MANY);
		const reader = Bun.spawn(["cat", path], { stdout: "pipe" });
		const text = new Response(reader.stdout).text();
		child.kill();
		expect(await child.exited).toBe(0);
		const log = await text;
		// The pipe is not closed earlier, because a pipe without any reader loses its content.
		closeSync(end);
		const requests = linesOf(log, "request").length;
		const dropped = linesOf(log, "log lines dropped");
		const count = dropped.reduce((sum, line) => sum + Number(line.count), 0);
		// The lines "stopping" and "stopped" may have been dropped.
		const stops = 2 - linesOf(log, "stopping").length - linesOf(log, "stopped").length;
		expect(dropped[0]?.level).toBe("WARN");
		expect(count).toBeGreaterThan(0);
		expect(requests + count).toBe(MANY + stops);
		expect(requests).toBeGreaterThan(1_000);
	}, 60_000);

	test.each(["open", "closed"])(
		"does not delay requests or the shutdown if its pipe is %s",
		async (state) => {
			const { path, end } = await unreadPipe(state);
			const { child, url } = await serveTo(path);
			if (state === "closed") closeSync(end);
			expect(await callMany(url, 2_000)).toBe(2_000);
			child.kill();
			expect(await child.exited).toBe(0);
			if (state === "open") closeSync(end);
		},
	);
});

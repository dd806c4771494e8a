import { describe, expect, test } from "bun:test";
import { closeSync, constants, openSync } from "node:fs";
import { $ } from "bun";
import { executable, type Serving } from "../../support/executable.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { linesOf } from "./log-of.ts";

const folder = useTemporaryFolder();
/** More lines than the pipe and the buffers can hold. */
const MANY = 10_000;

/** Starts a resort that writes its log to a named pipe. */
function serveTo(path: string) {
	const program = ["sh", "-c", 'exec "$0" "$@" 2>"$LOG"', executable];
	return folder.serve(["--ephemeral"], { program, env: { LOG: path } });
}

/** Sends requests, 20 at a time. All of them must succeed. */
async function callMany(resort: Serving, count: number): Promise<void> {
	const ids = Array.from({ length: count }, (_, at) => String(at).padStart(128, "0")).values();
	const worker = async () => {
		for (const id of ids) await resort.send("GET", "/api/lobby", { headers: { "x-request-id": id } });
	};
	await Promise.all(Array.from({ length: 20 }, worker));
}

/** Creates a named pipe, and opens its reading end, from which the test reads nothing. */
async function unreadPipe(name: string) {
	const path = folder.file(name);
	await $`mkfifo ${path}`;
	const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	return { path, end };
}

describe("a log whose reader does not read", () => {
	test("does not delay requests, and later contains the number of dropped lines", async () => {
		const { path, end } = await unreadPipe("late");
		const resort = await serveTo(path);
		await callMany(resort, MANY);
		const reader = Bun.spawn(["cat", path], { stdout: "pipe" });
		const text = new Response(reader.stdout).text();
		expect((await resort.stop()).exitCode).toBe(0);
		const log = await text;
		// The pipe is not closed earlier, because a pipe without any reader loses its content.
		closeSync(end);
		const requests = linesOf(log, "request").length;
		const dropped = linesOf(log, "log lines dropped");
		const count = dropped.reduce((sum, line) => sum + Number(line.count), 0);
		// The lines "stopping" and "stopped" may be among the dropped ones.
		const stops = 2 - linesOf(log, "stopping").length - linesOf(log, "stopped").length;
		expect(dropped[0]?.level).toBe("WARN");
		expect(count).toBeGreaterThan(0);
		expect(requests + count).toBe(MANY + stops);
		expect(requests).toBeGreaterThan(1_000);
	}, 60_000);

	test.each(["open", "closed"])(
		"does not delay requests or the shutdown if the reading end of its pipe is %s",
		async (state) => {
			const { path, end } = await unreadPipe(state);
			const resort = await serveTo(path);
			if (state === "closed") closeSync(end);
			await callMany(resort, 500);
			expect((await resort.stop()).exitCode).toBe(0);
			if (state === "open") closeSync(end);
		},
	);
});

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { runClient, startClient, wrappings } from "../support/client.ts";
import { temporaryFolder } from "../support/executable.ts";

const KEY = "ar_secret_of_the_test";

describe.each(wrappings)("%s", (_, program) => {
	test("a key with characters that no header takes is told without it", async () => {
		using home = temporaryFolder();
		const env = {
			RESORT_API_URL: "http://127.0.0.1:9",
			RESORT_API_KEY: `${KEY}\nx: y`,
		};
		const { exitCode, stdout, stderr } = await runClient(
			program,
			["overview"],
			{ home: home.path, env },
		);
		expect(exitCode).toBe(4);
		expect(stdout + stderr).not.toContain(KEY);
	});

	test("there is no flag for a key, and its value is not shown", async () => {
		using home = temporaryFolder();
		for (const flag of ["--api-key", "--key"]) {
			const { exitCode, stdout, stderr } = await runClient(
				program,
				["login", flag, KEY],
				{ home: home.path },
			);
			expect(exitCode).toBe(2);
			expect(stdout + stderr).not.toContain(KEY);
		}
	});

	test("the list of processes does not show it", async () => {
		const isAsked = Promise.withResolvers<void>();
		const isSeen = Promise.withResolvers<void>();
		await using server = {
			server: Bun.serve({
				port: 0,
				hostname: "127.0.0.1",
				async fetch() {
					isAsked.resolve();
					await isSeen.promise;
					return Response.json({ ok: true, agent: { id: "x" } });
				},
			}),
			[Symbol.asyncDispose]() {
				return this.server.stop(true);
			},
		};
		using home = temporaryFolder();
		const url = `http://127.0.0.1:${server.server.port}`;
		const child = startClient(program, ["login", "--url", url], {
			home: home.path,
			stdin: KEY,
		});
		await isAsked.promise;
		expect(readFileSync(`/proc/${child.pid}/cmdline`, "latin1")).not.toContain(
			KEY,
		);
		expect(readFileSync(`/proc/${child.pid}/environ`, "latin1")).not.toContain(
			KEY,
		);
		isSeen.resolve();
		expect(await child.exited).toBe(0);
	});
});

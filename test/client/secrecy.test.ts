import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeStored } from "../../src/client/key-file.ts";
import { fakeResort, runClient, wrappings } from "../support/client.ts";
import { temporaryFolder } from "../support/executable.ts";

const KEY = "ar_secret_of_the_test";

describe.each(wrappings)("%s", (_, program) => {
	test("http: beyond loopback is refused before anything is looked up", async () => {
		using home = temporaryFolder();
		writeStored(join(home.path, ".agent-resort.json"), {
			apiKey: KEY,
			agentId: "x",
			apiUrl: "http://resort.invalid",
		});
		const startedAt = performance.now();
		const { exitCode, stderr } = await runClient(program, ["overview"], {
			home: home.path,
		});
		expect({ exitCode, stderr }).toEqual({
			exitCode: 2,
			stderr: expect.stringContaining("--insecure"),
		});
		expect(performance.now() - startedAt).toBeLessThan(10_000);
		const insecure = await runClient(program, ["overview", "--insecure"], {
			home: home.path,
		});
		expect(insecure.exitCode).toBe(7);
		expect(insecure.stderr).not.toContain(KEY);
	});

	test.each([301, 302, 303, 307, 308])(
		"a redirect (%i) is not followed",
		async (status) => {
			await using other = fakeResort(() => Response.json({ ok: true }));
			await using resort = fakeResort(
				() =>
					new Response(null, {
						status,
						headers: { location: `${other.url}/stolen` },
					}),
			);
			using home = temporaryFolder();
			const env = { RESORT_API_URL: resort.url, RESORT_API_KEY: KEY };
			for (const args of [
				["overview"],
				["checkin"],
				["watch"],
				["call", "getMe"],
			]) {
				const { exitCode, stderr } = await runClient(program, args, {
					home: home.path,
					env,
				});
				expect({ exitCode, stderr }).toEqual({
					exitCode: 1,
					stderr: expect.stringContaining("redirects"),
				});
			}
			expect(other.asked).toBeEmpty();
		},
	);

	test("the key of the file goes to its origin alone", async () => {
		await using own = fakeResort(() => Response.json({ ok: true }));
		await using other = fakeResort(() => Response.json({ ok: true }));
		using home = temporaryFolder();
		const path = join(home.path, ".agent-resort.json");
		writeStored(path, { apiKey: KEY, agentId: "x", apiUrl: own.url });
		const run = (args: readonly string[], env: Record<string, string> = {}) =>
			runClient(program, args, { home: home.path, env });
		expect((await run(["overview"])).exitCode).toBe(0);
		expect(own.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
		const there = { RESORT_API_URL: other.url };
		for (const args of [
			["overview"],
			["checkin"],
			["key", "rotate"],
			["deactivate", "--yes"],
		]) {
			const { exitCode, stderr } = await run(args, there);
			expect({ exitCode, stderr }).toEqual({
				exitCode: 4,
				stderr: expect.stringContaining("another resort"),
			});
		}
		// The same port under another name is another origin.
		const named = { RESORT_API_URL: `http://localhost:${own.port}` };
		expect((await run(["overview"], named)).exitCode).toBe(4);
		for (const args of [
			["lobby"],
			["experiences", "--creator-id", "me"],
			["status"],
			["status", "x"],
		]) {
			await run(args, there);
		}
		expect(
			other.asked.map(({ headers }) => headers.authorization).filter(Boolean),
		).toEqual([]);
		// That of the environment goes where it is told to go.
		await run(["overview"], { ...there, RESORT_API_KEY: "ar_other" });
		expect(other.asked.at(-1)?.headers.authorization).toBe("Bearer ar_other");
		expect(JSON.parse(readFileSync(path, "utf8")).apiKey).toBe(KEY);
	});

	test("what needs no key is called without one", async () => {
		await using resort = fakeResort(() => Response.json({ ok: true }));
		using home = temporaryFolder();
		const env = { RESORT_API_URL: resort.url, RESORT_API_KEY: KEY };
		for (const args of [
			["lobby"],
			["postcards"],
			["activities"],
			["status", "x"],
			["call", "getHealth"],
		]) {
			expect(
				(await runClient(program, args, { home: home.path, env })).exitCode,
			).toBe(0);
		}
		expect(resort.asked.map(({ headers }) => headers.authorization)).toEqual(
			Array(5).fill(undefined),
		);
	});

	test("no proxy of the environment hears of it", async () => {
		await using resort = fakeResort(() => Response.json({ ok: true }));
		await using proxy = fakeResort(() => Response.json({ ok: true }));
		using home = temporaryFolder();
		const names = [
			"HTTP_PROXY",
			"http_proxy",
			"HTTPS_PROXY",
			"https_proxy",
			"ALL_PROXY",
			"all_proxy",
		];
		const env = {
			...Object.fromEntries(names.map((name) => [name, proxy.url])),
			NODE_USE_ENV_PROXY: "1",
			RESORT_API_URL: resort.url,
			RESORT_API_KEY: KEY,
		};
		expect(
			(await runClient(program, ["overview"], { home: home.path, env }))
				.exitCode,
		).toBe(0);
		expect(proxy.asked).toBeEmpty();
		expect(resort.asked).toHaveLength(1);
	});
});

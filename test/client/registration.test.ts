import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	acceptingResort,
	FILE_NAME,
	fakeResort,
	runClient,
	stored,
	wrappings,
} from "../support/client.ts";
import { temporaryFolder } from "../support/executable.ts";
import { asUser } from "../support/user.ts";

describe.each(wrappings)("%s", (_, program) => {
	test("nobody is registered whose key cannot be kept", async () => {
		using home = temporaryFolder();
		await using resort = acceptingResort();
		const env = { RESORT_API_URL: resort.url };
		const before = asUser(home.path);
		chmodSync(home.path, 0o500);
		const none = ["register", "--name", "Ada", "--config="];
		expect((await runClient(program, none, { home: "/", env })).exitCode).toBe(
			2,
		);
		for (const args of [["register", "--name", "Ada"], ["login"]]) {
			const { exitCode, stderr } = await runClient(program, args, {
				home: home.path,
				env,
				before,
				stdin: "ar_k",
			});
			expect({ exitCode, stderr }).toEqual({
				exitCode: 1,
				stderr: expect.stringContaining(join(home.path, FILE_NAME)),
			});
		}
		expect(resort.asked).toBeEmpty();
		// What keeps nothing works.
		const { exitCode } = await runClient(program, ["lobby"], {
			home: home.path,
			env,
			before,
		});
		expect(exitCode).toBe(0);
	});

	test("a slash behind the name of the file means the same file", async () => {
		using home = temporaryFolder();
		await using resort = acceptingResort();
		const path = join(home.path, "ada.json");
		const { exitCode } = await runClient(
			program,
			["register", "--name", "Ada", "--config", `${path}/`],
			{ home: home.path, env: { RESORT_API_URL: resort.url } },
		);
		expect(exitCode).toBe(0);
		expect(readFileSync(path, "utf8")).toContain("ar_new");
	});

	test("an agent whose key another one's would have to give way to is not left behind", async () => {
		using home = temporaryFolder();
		const path = join(home.path, FILE_NAME);
		const text = JSON.stringify(stored);
		await using resort = fakeResort(({ method }) => {
			// Somebody else registers at the same time.
			if (method === "POST") writeFileSync(path, text, { mode: 0o600 });
			const agent = { id: "an id" };
			return Response.json({ ok: true, agent, apiKey: "ar_new" });
		});
		const env = { RESORT_API_URL: resort.url };
		const { exitCode, stdout } = await runClient(
			program,
			["register", "--name", "Ada"],
			{ home: home.path, env },
		);
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		expect(readFileSync(path, "utf8")).toBe(text);
		const last = resort.asked.at(-1);
		expect(last?.target).toBe("/api/me");
		expect(last?.headers.authorization).toBe("Bearer ar_new");
	});

	test("of several registrations at once one is kept, and no other is left behind", async () => {
		using home = temporaryFolder();
		const count = 6;
		const here = new Set<string>();
		const all = Promise.withResolvers<void>();
		await using resort = fakeResort(async ({ method, headers }) => {
			if (method === "DELETE") {
				here.delete(headers.get("authorization") ?? "");
				return Response.json({ ok: true });
			}
			const id = `agent-${here.size}`;
			here.add(`Bearer ar_${id}`);
			if (here.size === count) all.resolve();
			await all.promise;
			return Response.json({ ok: true, agent: { id }, apiKey: `ar_${id}` });
		});
		const place = { home: home.path, env: { RESORT_API_URL: resort.url } };
		const ended = await Promise.all(
			Array.from({ length: count }, () =>
				runClient(program, ["register", "--name", "Ada"], place),
			),
		);
		expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([
			0, 1, 1, 1, 1, 1,
		]);
		const { apiKey } = JSON.parse(
			readFileSync(join(home.path, FILE_NAME), "utf8"),
		);
		expect([...here]).toEqual([`Bearer ${apiKey}`]);
		expect(readdirSync(home.path)).toEqual([FILE_NAME]);
	});

	test("a login does not take the place of a key that came meanwhile", async () => {
		using home = temporaryFolder();
		const path = join(home.path, FILE_NAME);
		const text = JSON.stringify({ ...stored, agentId: "a\u001b[2Jb" });
		await using resort = fakeResort(() => {
			writeFileSync(path, text, { mode: 0o600 });
			return Response.json({ ok: true, agent: { id: "an id" } });
		});
		const place = { home: home.path, env: { RESORT_API_URL: resort.url } };
		for (const args of [["login"], ["register", "--name", "Ada"]]) {
			const { exitCode, stderr } = await runClient(program, args, {
				...place,
				stdin: "ar_k",
			});
			expect({ exitCode, stderr }).toEqual({
				exitCode: 1,
				// Who it is was told by a service, and steers no terminal.
				stderr: expect.stringContaining("another agent, a[2Jb\n"),
			});
		}
		expect(readFileSync(path, "utf8")).toBe(text);
	});

	test("a key that cannot be one is not kept", async () => {
		using home = temporaryFolder();
		await using resort = fakeResort(() =>
			Response.json({ ok: true, agent: { id: "x" }, apiKey: "a\r\nb: c" }),
		);
		const env = { RESORT_API_URL: resort.url };
		const place = { home: home.path, env };
		const args = ["register", "--name", "Ada"];
		expect((await runClient(program, args, place)).exitCode).toBe(1);
		expect(readdirSync(home.path)).toEqual([]);
	});
});

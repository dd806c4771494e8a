import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { asUser } from "../support/user.ts";
import { acceptingResort, clientHouse, FILE_NAME, fakeResort, stored, wrappings } from "./client.ts";

const register = ["register", "--name", "Ada"];

describe.each(wrappings)("%s", (_, program) => {
	test("does not register if the key cannot be stored", async () => {
		await using resort = acceptingResort();
		const env = { RESORT_API_URL: resort.url };
		using root = clientHouse(program, env);
		const command = [...asUser(root.home), ...program];
		chmodSync(root.home, 0o500);
		await root.fails(2, [...register, "--config="]);
		const config = ["--config", root.file];
		using ada = clientHouse(command, { ...env, HOME: root.home });
		for (const args of [register, ["login"]]) {
			await ada.fails(1, args, root.file, "ar_k");
		}
		expect(resort.asked).toBeEmpty();
		// A command that stores nothing works.
		await ada.ok("lobby", ...config);
	});

	test("does not register if 4 KiB cannot be written", async () => {
		await using resort = acceptingResort();
		const limited = (kilobytes: number) => {
			const code = `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`;
			const command = ["bash", "-c", code, "bash", ...program];
			return clientHouse(command, { RESORT_API_URL: resort.url });
		};
		using full = limited(3);
		await full.fails(1, register);
		expect(resort.asked).toBeEmpty();
		using free = limited(4);
		await free.ok(...register);
	});

	test("keeps one of several concurrent registrations, and deactivates the others", async () => {
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
		using ada = clientHouse(program, { RESORT_API_URL: resort.url });
		const ended = await Promise.all(Array.from({ length: count }, () => ada.run(register)));
		const codes = ended.map(({ exitCode }) => exitCode).sort();
		expect(codes).toEqual([0, 1, 1, 1, 1, 1]);
		const shown = ended.filter(({ stdout }) => stdout !== "");
		expect(shown).toHaveLength(1);
		const { apiKey } = JSON.parse(readFileSync(ada.file, "utf8"));
		expect([...here]).toEqual([`Bearer ${apiKey}`]);
		expect(readdirSync(ada.home)).toEqual([FILE_NAME]);
	});

	test("login and register keep a key that another process stored in the meantime", async () => {
		const text = JSON.stringify({ ...stored, agentId: "a\u001b[2Jb" });
		await using resort = fakeResort(() => {
			writeFileSync(ada.file, text, { mode: 0o600 });
			return Response.json({ ok: true, agent: { id: "an id" } });
		});
		using ada = clientHouse(program, { RESORT_API_URL: resort.url });
		for (const args of [["login"], register]) {
			// The id comes from a server, so control characters are removed.
			await ada.fails(1, args, "another agent, a[2Jb\n", "ar_k");
		}
		expect(readFileSync(ada.file, "utf8")).toBe(text);
	});

	test("does not store an invalid key", async () => {
		await using resort = fakeResort(() =>
			Response.json({ ok: true, agent: { id: "x" }, apiKey: "a\r\nb: c" }),
		);
		using ada = clientHouse(program, { RESORT_API_URL: resort.url });
		await ada.fails(1, register);
		expect(readdirSync(ada.home)).toEqual([]);
	});
});

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useDisposable } from "../support/use-disposable.ts";
import { asUser } from "../support/user.ts";
import {
	acceptingResort,
	clientHouse,
	FILE_NAME,
	requireWhole,
	stored,
	useClientProcess,
	useHouse,
	wrappings,
} from "./client.ts";

const register = ["register", "--name", "Ada"];

const resort = useDisposable(acceptingResort);

describe.each(wrappings)("%s", (_, program) => {
	const ada = useHouse(program, resort);

	test("fails if its configuration file is a folder or a pipe, without waiting for data from the pipe", async () => {
		mkdirSync(ada.file);
		const pipe = join(ada.home, "pipe");
		Bun.spawnSync(["mkfifo", pipe]);
		await ada.fails(1, ["lobby"]);
		await ada.fails(1, ["lobby", "--config", pipe]);
	});

	test("creates the configuration file with mode 600, even if the umask is 000", async () => {
		const command = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...program];
		using open = clientHouse(command, { RESORT_API_URL: resort.url });
		await open.ok(...register);
		requireWhole(open.file);
		expect(readdirSync(open.home)).toEqual([FILE_NAME]);
	});

	test("keeps the configuration file complete while several logins write it and some of them are killed", async () => {
		const logins = Array.from({ length: 8 }, () => ada.start(["login"], `ar_${"k".repeat(500)}`));
		const killed = logins.slice(4).map(async (child, at) => {
			await Bun.sleep(60 + 25 * at);
			child.kill("SIGKILL");
		});
		const isOver = Promise.all([...logins.map(({ exited }) => exited), ...killed]);
		for (let over = false; !over; ) {
			over = await Promise.race([isOver.then(() => true), Bun.sleep(2).then(() => false)]);
			requireWhole(ada.file);
		}
		expect(existsSync(ada.file)).toBe(true);
	});

	test("does not register an agent if its key cannot be stored", async () => {
		const command = [...asUser(ada.home), ...program];
		chmodSync(ada.home, 0o500);
		await ada.fails(2, [...register, "--config="]);
		using user = clientHouse(command, { RESORT_API_URL: resort.url, HOME: ada.home });
		for (const args of [register, ["login"]]) {
			await user.fails(1, args, ada.file, "ar_k");
		}
		expect(resort.asked).toBeEmpty();
		// A command that stores nothing still works.
		await user.ok("lobby", "--config", ada.file);
	});

	test("does not register an agent if `ulimit -f 3` prevents files of 4 KiB", async () => {
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

	test("keeps one agent of several concurrent `register` commands, and deactivates the others", async () => {
		const count = 6;
		const here = new Set<string>();
		const all = Promise.withResolvers<void>();
		resort.answer = async ({ method, headers }) => {
			if (method === "DELETE") {
				here.delete(headers.get("authorization") ?? "");
				return Response.json({ ok: true });
			}
			const id = `agent-${here.size}`;
			here.add(`Bearer ar_${id}`);
			if (here.size === count) all.resolve();
			await all.promise;
			return Response.json({ ok: true, agent: { id }, apiKey: `ar_${id}` });
		};
		const ended = await Promise.all(Array.from({ length: count }, () => ada.run(register)));
		const codes = ended.map(({ exitCode }) => exitCode).sort();
		expect(codes).toEqual([0, 1, 1, 1, 1, 1]);
		const shown = ended.filter(({ stdout }) => stdout !== "");
		expect(shown).toHaveLength(1);
		const { apiKey } = JSON.parse(readFileSync(ada.file, "utf8"));
		expect([...here]).toEqual([`Bearer ${apiKey}`]);
		expect(readdirSync(ada.home)).toEqual([FILE_NAME]);
	});
});

describe("the client", () => {
	const ada = useHouse(useClientProcess(), resort);

	test("reports an invalid configuration file, which only `logout` removes", async () => {
		writeFileSync(ada.file, "{", { mode: 0o600 });
		for (const args of [["lobby"], register, ["login"]]) {
			const { stderr } = await ada.fails(1, args, "not JSON", "ar_k");
			expect(stderr).toContain(ada.file);
			expect(readFileSync(ada.file, "utf8")).toBe("{");
		}
		expect(resort.asked).toBeEmpty();
		await ada.ok("logout");
		expect(existsSync(ada.file)).toBe(false);
	});

	test("`login` and `register` replace no key of another agent, even one that was stored during their request", async () => {
		const text = JSON.stringify({ ...stored, agentId: "a\u001b[2Jb" });
		resort.answer = () => {
			writeFileSync(ada.file, text, { mode: 0o600 });
			return Response.json({ ok: true, agent: { id: "an id" } });
		};
		for (const args of [["login"], register]) {
			// The id comes from a server, so the message contains it without control characters.
			await ada.fails(1, args, "another agent, a[2Jb\n", "ar_k");
		}
		expect(readFileSync(ada.file, "utf8")).toBe(text);
		// Now the key is already stored, so `register` fails before it calls the resort.
		const { length } = resort.asked;
		const { stderr } = await ada.fails(1, register, "--config FILE");
		expect(stderr).toContain("run logout");
		expect(resort.asked).toHaveLength(length);
	});

	test("does not store an invalid key that a server returns", async () => {
		resort.answer = () => Response.json({ ok: true, agent: { id: "x" }, apiKey: "a\r\nb: c" });
		await ada.fails(1, register);
		expect(readdirSync(ada.home)).toEqual([]);
	});
});

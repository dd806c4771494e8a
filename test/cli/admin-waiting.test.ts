/** How long `resort admin` waits: for an instance that works without end, for one that hangs but a while. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { listenForHost } from "../../src/server/admin/socket.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import {
	executable,
	run,
	serve,
	temporaryFolder,
} from "../support/executable.ts";
import { register } from "../support/guests.ts";
import { until } from "../support/until.ts";

/** Runs a command that asks at a socket, in a folder with nothing else. */
const ask = (cwd: string) =>
	run(["admin", "stats", "--json", "--admin-socket", join(cwd, "s")], { cwd });

describe("resort admin", () => {
	test.concurrent("waits as long as an instance works, 13 seconds for instance", async () => {
		using folder = temporaryFolder();
		const socket = await listenForHost(
			{ path: join(folder.path, "s"), isGiven: true, isInOwnFolder: false },
			async (request) => {
				// The first question is whether it hangs.
				if (request.url.endsWith("/stats")) await Bun.sleep(13_000);
				return Response.json({ ok: true, stats: {} });
			},
		);
		const { exitCode, stdout, stderr } = await ask(folder.path);
		await socket.stop();
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		expect(JSON.parse(stdout)).toEqual({ ok: true, stats: {} });
	}, 60_000);

	test.concurrent("gives up on an instance that takes the call and does not answer", async () => {
		using folder = temporaryFolder();
		// As one does that is stopped by a signal: the system takes its calls.
		const server = createServer().listen(join(folder.path, "s"));
		const { exitCode, stdout, stderr } = await ask(folder.path);
		server.close();
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		expect(JSON.parse(stderr).error).toContain(
			"has not answered for 10 seconds, so it was not asked",
		);
	}, 60_000);

	test("asks once, and says that it is not known what was done when the instance ends meanwhile", async () => {
		using folder = temporaryFolder();
		let asked = 0;
		const server = createServer((connection) => {
			connection.on("data", (data) => {
				if (data.includes("/stats")) {
					asked++;
					connection.destroy();
				} else {
					connection.write(
						"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}",
					);
				}
			});
		}).listen(join(folder.path, "s"));
		const { exitCode, stderr } = await ask(folder.path);
		server.close();
		expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: 1 });
		expect(JSON.parse(stderr).error).toEndWith(
			"so it is not known whether this was done: the connection was closed (ECONNRESET)",
		);
	});

	test("waits for another program that has the database", async () => {
		using folder = temporaryFolder();
		await (await serve(["--port", "0"], { cwd: folder.path })).stop();
		const store = openStore(join(folder.path, "resort.sqlite"));
		const asked = run(["admin", "stats"], { cwd: folder.path });
		await Bun.sleep(300);
		await store.close();
		expect(await asked).toMatchObject({ exitCode: 0, stderr: "" });
	});

	test("holds no database while it asks for the id: an instance that starts meanwhile erases", async () => {
		using folder = temporaryFolder();
		const place = { cwd: folder.path };
		const former = await serve(["--port", "0"], place);
		const id = await register(former.url);
		await former.stop();
		const erasing = Bun.spawn([executable, "admin", "erase", id], {
			...place,
			env: {},
			stdin: "pipe",
			stdout: "pipe",
			stderr: "pipe",
		});
		const reader = erasing.stderr.getReader();
		const { value } = await reader.read();
		expect(new TextDecoder().decode(value)).toContain("Type the id again");
		const instance = await serve(["--port", "0"], place);
		erasing.stdin.write(`${id}\n`);
		erasing.stdin.end();
		expect(await erasing.exited).toBe(0);
		expect(await erasing.stdout.text()).toStartWith("Erased: ");
		expect((await instance.stop()).stderr).toContain("eraseAgent");
	});

	test("gets its answer of an instance that is told to stop meanwhile", async () => {
		using folder = temporaryFolder();
		const place = { cwd: folder.path };
		const former = await serve(["--port", "0"], place);
		const id = await register(former.url);
		await former.stop();
		const file = join(folder.path, "resort.sqlite");
		const database = new Database(file);
		// So many that they are erased in a hundred changes.
		database.run(
			`WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200000)
			INSERT INTO activity_log (id, stay_id, agent_id, activity_name, activity_category, started_at, notes, relaxation_points)
			SELECT 'l' || value, 's', '${id}', 'Nap', 'rest', value, 'secret', 1 FROM n`,
		);
		database.close();
		const instance = await serve(["--port", "0"], place);
		const erasing = run(["admin", "erase", id], { ...place, stdin: id });
		await until(
			async () =>
				(await fetch(`${instance.url}/api/agents/${id}`)).status === 404,
		);
		const { stderr } = await instance.stop();
		expect(await erasing).toMatchObject({ exitCode: 0 });
		expect(stderr).toContain("eraseAgent");
	});
});

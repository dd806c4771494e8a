import { describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
	acceptingResort,
	FILE_NAME,
	requireWhole,
	runClient,
	startClient,
	stored,
	wrappings,
} from "../support/client.ts";
import { temporaryFolder } from "../support/executable.ts";

describe.each(wrappings)("%s", (_, program) => {
	test.each([
		["not JSON", "{", "not JSON"],
		["another field", JSON.stringify({ ...stored, more: 1 }), "exactly"],
		["a missing field", JSON.stringify({ apiKey: "ar_k" }), "exactly"],
		["no address", JSON.stringify({ ...stored, apiUrl: "x.test" }), "apiUrl"],
		["an empty file", "", "not JSON"],
		["a list", "[]", "exactly"],
		["too much", " ".repeat(70_000), "too large"],
	])("a broken file (%s) is told and left as it is", async (_, text, why) => {
		using home = temporaryFolder();
		const path = join(home.path, FILE_NAME);
		writeFileSync(path, text, { mode: 0o600 });
		await using resort = acceptingResort();
		const place = {
			home: home.path,
			env: { RESORT_API_URL: resort.url },
			stdin: "ar_k",
		};
		for (const args of [["lobby"], ["register", "--name", "Ada"], ["login"]]) {
			const { exitCode, stderr } = await runClient(program, args, place);
			expect({ exitCode, stderr }).toEqual({
				exitCode: 1,
				stderr: expect.stringContaining(why),
			});
			expect(stderr).toContain(path);
			expect(readFileSync(path, "utf8")).toBe(text);
		}
		expect(resort.asked).toBeEmpty();
		expect((await runClient(program, ["logout"], place)).exitCode).toBe(0);
		expect(existsSync(path)).toBe(false);
	});

	test("a folder or a pipe in its place is told, and not waited for", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, FILE_NAME));
		Bun.spawnSync(["mkfifo", join(home.path, "pipe")]);
		for (const more of [[], ["--config", join(home.path, "pipe")]]) {
			const { exitCode } = await runClient(program, ["lobby", ...more], {
				home: home.path,
			});
			expect(exitCode).toBe(1);
		}
	});

	test("the file is its owner's alone with umask 000, and never anything else", async () => {
		using home = temporaryFolder();
		await using resort = acceptingResort();
		const before = ["sh", "-c", 'umask 000; exec "$@"', "sh"];
		const place = {
			home: home.path,
			env: { RESORT_API_URL: resort.url },
			before,
		};
		const { exitCode } = await runClient(
			program,
			["register", "--name", "Ada"],
			place,
		);
		expect(exitCode).toBe(0);
		requireWhole(join(home.path, FILE_NAME));
		expect(readdirSync(home.path)).toEqual([FILE_NAME]);
	});

	test("two at once, and some that are killed: the file stays whole", async () => {
		using home = temporaryFolder();
		await using resort = acceptingResort();
		const path = join(home.path, FILE_NAME);
		const place = {
			home: home.path,
			env: { RESORT_API_URL: resort.url },
			stdin: `ar_${"k".repeat(500)}`,
		};
		const logins = Array.from({ length: 8 }, () =>
			startClient(program, ["login"], place),
		);
		const killed = logins.slice(4).map(async (child, at) => {
			await Bun.sleep(60 + 25 * at);
			child.kill("SIGKILL");
		});
		const isOver = Promise.all([
			...logins.map(({ exited }) => exited),
			...killed,
		]);
		for (let over = false; !over; ) {
			over = await Promise.race([
				isOver.then(() => true),
				Bun.sleep(2).then(() => false),
			]);
			requireWhole(path);
		}
		expect(existsSync(path)).toBe(true);
	});
});

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	acceptingResort,
	clientHouse,
	FILE_NAME,
	requireWhole,
	shareOf,
	stored,
	wrappings,
} from "./client.ts";

/** Invalid contents of the file, and parts of the errors. */
const invalid: readonly (readonly [what: string, text: string, why: string])[] = [
	["not JSON", "{", "not JSON"],
	["another field", JSON.stringify({ ...stored, more: 1 }), "exactly"],
	["a missing field", JSON.stringify({ apiKey: "ar_k" }), "exactly"],
	["no address", JSON.stringify({ ...stored, apiUrl: "x.test" }), "apiUrl"],
	["an empty file", "", "not JSON"],
	["a list", "[]", "exactly"],
	["too much", " ".repeat(70_000), "too large"],
];

describe.each(wrappings)("%s", (name, program) => {
	test.each(shareOf(name, invalid))(
		"reports an invalid file (%s) and does not change it",
		async (_, text, why) => {
			await using resort = acceptingResort();
			using ada = clientHouse(program, { RESORT_API_URL: resort.url });
			writeFileSync(ada.file, text, { mode: 0o600 });
			for (const args of [["lobby"], ["register", "--name", "Ada"], ["login"]]) {
				const { stderr } = await ada.fails(1, args, why, "ar_k");
				expect(stderr).toContain(ada.file);
				expect(readFileSync(ada.file, "utf8")).toBe(text);
			}
			expect(resort.asked).toBeEmpty();
			await ada.ok("logout");
			expect(existsSync(ada.file)).toBe(false);
		},
	);

	test("reads a file with a byte order mark", async () => {
		await using resort = acceptingResort();
		using ada = clientHouse(program);
		const text = `\ufeff${JSON.stringify({ ...stored, apiUrl: resort.url })}`;
		writeFileSync(ada.file, text, { mode: 0o600 });
		await ada.ok("lobby");
	});

	test("reports a folder or a pipe in its place without waiting", async () => {
		using ada = clientHouse(program);
		mkdirSync(ada.file);
		const pipe = join(ada.home, "pipe");
		Bun.spawnSync(["mkfifo", pipe]);
		await ada.fails(1, ["lobby"]);
		await ada.fails(1, ["lobby", "--config", pipe]);
	});

	test("creates the file with mode 600 if the umask is 000", async () => {
		await using resort = acceptingResort();
		const command = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...program];
		using ada = clientHouse(command, { RESORT_API_URL: resort.url });
		expect((await ada.run(["register", "--name", "Ada"])).exitCode).toBe(0);
		requireWhole(ada.file);
		expect(readdirSync(ada.home)).toEqual([FILE_NAME]);
	});

	test("keeps the file complete while several logins write it and some are killed", async () => {
		await using resort = acceptingResort();
		using ada = clientHouse(program, { RESORT_API_URL: resort.url });
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
});

import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, renameSync, unlinkSync } from "node:fs";
import { $ } from "bun";
import { linesOf } from "../core/server/log-of.ts";
import { change } from "../core/store/older.ts";
import { useFreshFolder, useTemporaryFolder } from "../support/folder.ts";
import { look } from "../support/visit.ts";

const folder = useFreshFolder();

const SERVE = ["serve", "--port", "0"];

/** The id of the agent in the backup. */
let id = "";

/** A folder with a backup, and with the database, whose write-ahead log is newer than the backup. */
const made = useTemporaryFolder();
beforeAll(async () => {
	id = await made.visit();
	await made.succeed(["backup", "copy"]);
	await made.visit("SIGKILL");
});
beforeEach(async () => {
	await $`cp -a ${made.path}/. ${folder.path}`;
});

const log = () => readFileSync(folder.file("resort.sqlite-wal"));
const content = () => ({ file: readFileSync(folder.file()), log: log() });

/** Checks that serve accepts the database, and that the database contains only the agent of the backup. */
async function requireRestored() {
	await (await folder.serve(SERVE)).stop();
	expect([...look(folder.file()).ids]).toEqual([id]);
}

describe("a backup that was copied over a database, but not over its write-ahead log", () => {
	beforeEach(() => {
		copyFileSync(folder.file("copy"), folder.file());
		expect(log().length).toBeGreaterThan(0);
	});

	test("is refused by every command until the `rm` command in the error has deleted the log", async () => {
		const mend = `rm '${folder.file("resort.sqlite-wal")}'`;
		const reason = `${folder.file("resort.sqlite-wal")} belongs to another database, or to another state of ${folder.file()}: stop the resort if it runs, run ${mend}, and use resort restore for backups`;
		const before = content();
		for (const args of [SERVE, ["admin", "agents"], ["backup", "new"]]) await folder.refuse(args, reason, 1);
		const { checks } = await folder.doctor();
		expect(checks.database).toBe(`fail ${reason}`);
		expect(content()).toEqual(before);
		await folder.shell(mend);
		await requireRestored();
	});

	test("is replaced by `resort restore`, which keeps the replaced file", async () => {
		const { kept } = JSON.parse(await folder.succeed(["restore", "copy"]));
		expect(readFileSync(kept)).toEqual(readFileSync(folder.file("copy")));
		await requireRestored();
	});
});

test("serve refuses an older copy of a database that version 1.0 wrote next to a newer write-ahead log, until `resort restore` replaces both", async () => {
	await (await folder.serve(SERVE)).stop();
	copyFileSync(folder.file(), folder.file("older"));
	change(folder.file("older"), "DELETE FROM sqlite_sequence WHERE name = 'log'");
	const instance = await folder.serve([...SERVE, "--rate-limits", "off"]);
	for (let agents = 0; agents < 200; agents++) await instance.register({ bio: "long ".repeat(90) });
	await instance.stop();
	await folder.visit("SIGKILL");
	copyFileSync(folder.file("older"), folder.file());
	const before = content();
	const mend = `resort restore BACKUP --database '${folder.file()}'`;
	const stderr = await folder.refuse(SERVE, `: run ${mend}\n`, 1);
	expect(stderr).toContain("or its log belongs to another database");
	expect(content()).toEqual(before);
	await folder.succeed(["restore", "copy"]);
	await requireRestored();
});

/** Serves a database while agents register, 50 at a time. */
async function register(database: string, agents: number, signal?: NodeJS.Signals) {
	const instance = await folder.serve([...SERVE, "--rate-limits", "off", "--database", database]);
	for (let left = agents; left > 0; left -= 50) {
		await Promise.all(Array.from({ length: Math.min(left, 50) }, () => instance.register()));
	}
	await instance.stop(signal);
}

describe.each([[[5, 5]], [[50, 300]], [[300, 50]], [[20, 2_000, 5]]])(
	"after runs that register %p agents",
	(runs) => {
		const [first = 0, ...others] = runs;
		const last = others.pop() ?? 0;
		const all = first + last + others.reduce((sum, agents) => sum + agents, 0);
		const sizes = () => [look(folder.file("r")).ids.size, look(folder.file("p")).ids.size];

		beforeEach(async () => {
			await register("r", first);
			copyFileSync(folder.file("r"), folder.file("safe"));
			copyFileSync(folder.file("r"), folder.file("p"));
			for (const agents of others) await register("r", agents);
			await register("r", last, "SIGKILL");
		});

		test("serve accepts the log of a killed instance, also if both files are copied", async () => {
			for (const suffix of ["", "-wal"]) copyFileSync(folder.file(`r${suffix}`), folder.file(`p${suffix}`));
			for (const name of ["r", "p"]) await (await folder.serve([...SERVE, "--database", name])).stop();
			expect(sizes()).toEqual([all, all]);
		});

		test("every command refuses a copy of the stopped database next to the log, until `rm` deletes the log", async () => {
			copyFileSync(folder.file("safe"), folder.file("r"));
			const before = folder.contents();
			const mend = `rm '${folder.file("r-wal")}'`;
			const reason = `${folder.file("r-wal")} belongs to another database, or to another state of ${folder.file("r")}: stop the resort if it runs, run ${mend}`;
			for (const args of [SERVE, ["admin", "agents"], ["backup", "new"]])
				await folder.refuse([...args, "--database", "r"], reason, 1);
			const { checks } = await folder.doctor(["--database", "r"]);
			expect(checks.database).toStartWith(`fail ${reason}`);
			const shared = { "r-shm": expect.any(String), "r-lock": expect.any(String) };
			expect(folder.contents()).toEqual({ ...before, ...shared });
			await folder.shell(mend);
			await (await folder.serve([...SERVE, "--database", "r"])).stop();
			expect(sizes()).toEqual([first, first]);
		});

		test("serve refuses the log of another database, and restore keeps it next to the replaced file", async () => {
			await register("o", last, "SIGKILL");
			await register("p", 1);
			copyFileSync(folder.file("o-wal"), folder.file("p-wal"));
			await folder.refuse([...SERVE, "--database", "p"], "p-wal belongs to another database", 1);
			const log = readFileSync(folder.file("p-wal"));
			const { kept } = JSON.parse(await folder.succeed(["restore", "safe", "--database", "p"]));
			expect(readFileSync(`${kept}-wal`)).toEqual(log);
			unlinkSync(`${kept}-wal`);
			expect(look(kept).ids.size).toBe(first + 1);
			expect(look(folder.file("p")).ids.size).toBe(first);
		});
	},
);

test("an instance whose database file was moved away or overwritten is unhealthy, and acknowledges no write", async () => {
	const instance = await folder.serve(SERVE);
	const statusOf = async () => (await fetch(`${instance.url}/api/health`)).status;
	expect(await statusOf()).toBe(200);
	renameSync(folder.file(), folder.file("away"));
	expect(await statusOf()).toBe(503);
	await instance.waitForLog("database lost");
	renameSync(folder.file("away"), folder.file());
	await instance.waitForLog("database back");
	expect(await statusOf()).toBe(200);
	copyFileSync(folder.file("copy"), folder.file());
	expect(await statusOf()).toBe(503);
	await expect(instance.register()).rejects.toThrow("Storage unavailable");
	await instance.waitForLog("database lost", 2);
	const { stderr } = await instance.stop();
	expect(linesOf(stderr, "database back")).toHaveLength(1);
	expect(linesOf(stderr, "database lost")).toMatchObject([
		{ level: "ERROR" },
		{ level: "ERROR", error: expect.stringContaining("another database was copied over") },
	]);
	await folder.succeed(["restore", "copy"]);
	expect([...look(folder.file()).ids]).toEqual([id]);
});

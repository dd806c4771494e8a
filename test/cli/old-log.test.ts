import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, renameSync } from "node:fs";
import { $ } from "bun";
import { linesOf } from "../core/server/log-of.ts";
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
		const reason = `${folder.file("resort.sqlite-wal")} belongs to another database, over which ${folder.file()} was copied: stop the resort if it runs, run ${mend}, and use resort restore for backups`;
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

test("serve refuses an older copy of a database next to a newer write-ahead log, until `resort restore` replaces both", async () => {
	await (await folder.serve(SERVE)).stop();
	copyFileSync(folder.file(), folder.file("older"));
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

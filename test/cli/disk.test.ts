import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { TemporaryFolder } from "../database/temporary-folder.ts";
import { run } from "../support/executable.ts";
import { canMount, mounting } from "../support/mounts.ts";

let folder: TemporaryFolder;
beforeEach(() => {
	folder = new TemporaryFolder();
	mkdirSync(folder.file("disk"));
});
afterEach(() => folder[Symbol.dispose]());

describe("doctor on a disk", () => {
	test.skipIf(!canMount).each<[size: string, level: string, exitCode: number]>([
		["15m", "fail", 1],
		["16m", "warn", 0],
		["99m", "warn", 0],
		["100m", "ok", 0],
	])("of %s that is empty says %s", async (size, level, code) => {
		const { exitCode, stdout } = await run(
			["doctor", "--database", "disk/new.sqlite"],
			{
				cwd: folder.path,
				before: mounting(`mount -t tmpfs -o size=${size} none disk`),
			},
		);
		expect(stdout).toMatch(new RegExp(`^${level} +free disk +\\d+ MiB`, "m"));
		expect(exitCode).toBe(code);
	});

	test.skipIf(!canMount).each<[used: string, level: string]>([
		["870m", "ok"],
		["905m", "warn"],
	])("of 1000 MiB of which %s are used says %s", async (used, level) => {
		const { stdout } = await run(["doctor", "--database", "disk/new.sqlite"], {
			cwd: folder.path,
			before: mounting(
				`mount -t tmpfs -o size=1000m none disk && fallocate -l ${used} disk/much`,
			),
		});
		expect(stdout).toMatch(new RegExp(`^${level} +free disk`, "m"));
	});
});

import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { useFreshFolder } from "../support/folder.ts";
import { mounts, root } from "../support/requirements.ts";
import { asUser, mounting } from "../support/user.ts";
import { look } from "../support/visit.ts";

const DATED = /^resort-\d{8}T\d{6}Z\.sqlite$/;

const old = [1, 2, 3, 4].map((day) => `resort-2025010${day}T000000Z.sqlite`);

const folder = useFreshFolder();
let agent: string;
beforeEach(async () => {
	mkdirSync(folder.file("d"));
	agent = await folder.visit();
});

/** Creates a backup, and returns the printed JSON. */
const backup = async (...args: string[]) =>
	JSON.parse(await folder.succeed(["backup", "--dir", "d", ...args]));

const names = () => folder.names("d");

function leave(...left: string[]): void {
	for (const name of left) folder.write("a copy", `d/${name}`);
}

describe("`resort backup --dir`", () => {
	test("creates a file with mode 600 whose name contains the current time", async () => {
		const before = Math.trunc(Date.now() / 1000) * 1000;
		const stdout = await folder.succeed(["backup", "--dir", "d"]);
		const [name = "", ...more] = names();
		expect(more).toEqual([]);
		expect(name).toMatch(DATED);
		const time = Date.parse(name.replace(/^.*-(....)(..)(..T..)(..)(..Z).*$/, "$1-$2-$3:$4:$5"));
		expect(time).toBeGreaterThanOrEqual(before);
		expect(time).toBeLessThanOrEqual(Date.now());
		const path = folder.file(`d/${name}`);
		const { size: bytes, mode } = statSync(path);
		expect(JSON.parse(stdout)).toEqual({ backup: path, bytes, removed: [] });
		expect(stdout).toMatch(/^[^\n]*\n$/);
		expect(mode & 0o777).toBe(0o600);
		expect([...look(path).ids]).toEqual([agent]);
	});

	test("creates a complete file in each of three concurrent runs, and names the files in order of creation", async () => {
		await Promise.all([1, 2, 3].map(() => backup("--keep=9")));
		const made = names();
		expect(made).toHaveLength(3);
		for (const name of made) {
			expect(name).toMatch(DATED);
			expect([...look(folder.file(`d/${name}`)).ids]).toEqual([agent]);
		}
		const times = made.map((name) => statSync(folder.file(`d/${name}`)).mtimeMs);
		expect(times).toEqual(times.toSorted((a, b) => a - b));
	});

	test.each([
		[1, 1],
		[5, 5],
		[10_000, 5],
	])("with `--keep %d` leaves the newest %d of 5 old backups", async (keep, left) => {
		leave(...old);
		const gone = 5 - left;
		const { backup: path, removed } = await backup("--keep", String(keep));
		const oldest = old.slice(0, gone);
		expect(removed).toEqual(oldest.map((name) => folder.file(`d/${name}`)));
		expect(names()).toEqual([...old.slice(gone), path.split("/").at(-1)]);
	});

	test("with `--keep` neither counts nor deletes folders, links, empty files and files with other names", async () => {
		const foreign = [
			"resort.sqlite",
			"resort-2025-01-01T00-00-00Z.sqlite",
			"resort-20250101T000000Z.sqlite.bak",
			"resort-20250101T000000Z.sqlite-wal",
			"resort-20250101T0000Z.sqlite",
			"my-resort-20250101T000000Z.sqlite",
		];
		leave(...foreign, ...old);
		mkdirSync(folder.file("d/resort-20240101T000000Z.sqlite"));
		symlinkSync(folder.file(), folder.file("d/resort-20240102T000000Z.sqlite"));
		// An empty file like this one reserves the name of a backup that is being created.
		folder.write("", "d/resort-20240103T000000Z.sqlite");
		const before = new Set(names());
		expect((await backup("--keep", "2")).removed).toHaveLength(3);
		const gone = [...before.difference(new Set(names()))];
		expect(gone).toEqual(old.slice(0, 3));
	});

	test("with `--keep 1` keeps the new backup, even if an old one has a later time in its name", async () => {
		const future = "resort-29990101T000000Z.sqlite";
		leave(...old, future);
		const made = (await backup("--keep", "1")).backup.split("/").at(-1);
		expect(names()).toEqual([made, future]);
	});

	mounts.test("deletes no old backup if there is no space for the new one", async () => {
		const fill = old.map((name) => `echo old > d/${name}`).join(" && ");
		// Lists the folder in the same command, because the mounted file system exists only while the command runs.
		const list = ["sh", "-c", '"$0" "$@"; code=$?; ls d >&2; exit $code'];
		const before = [...mounting(`mount -t tmpfs -o size=64k none d && ${fill}`), ...list];
		const args = ["backup", "--dir", "d", "--keep", "1"];
		const { exitCode, stdout, stderr } = await folder.run(args, { before });
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		const [told, ...left] = stderr.trimEnd().split("\n");
		expect(told).toMatch(/^resort: cannot copy .*full/);
		expect(left).toEqual(old);
	});

	root.test("reports an old backup that cannot be deleted, and keeps the new one", async () => {
		leave(...old);
		chmodSync(folder.file("d"), 0o1777);
		// The command runs as a user who owns neither the folder `d` nor the old backups in it.
		const before = asUser(folder.path, folder.file());
		const ended = await folder.run(["backup", "--dir", "d", "--keep", "1"], { before });
		expect(ended.exitCode).toBe(1);
		expect(ended.stderr).toMatch(
			/^resort: the backup was created, but an older one in [^\n]* cannot be deleted: [^\n]*\n$/,
		);
		const { backup: path, removed } = JSON.parse(ended.stdout);
		expect(removed).toEqual([]);
		expect(names()).toEqual([...old, path.split("/").at(-1)]);
	});
});

import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { change } from "../core/store/older.ts";
import { executable } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";
import { mounts } from "../support/requirements.ts";
import { runTool, testWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { mounting } from "../support/user.ts";
import { look } from "../support/visit.ts";

const MUCH_BYTES = 8 * 1024 * 1024;

const folder = useFreshFolder();
let agent: string;
beforeEach(async () => {
	mkdirSync(folder.file("tmp"));
	agent = await folder.visit();
});

/** Runs a shell command in the folder. In the command, `resort` means the executable. */
const shell = (line: string, before: readonly string[] = []) =>
	folder.shell(`resort() { "$0" "$@"; }; ${line}`, { before });

const names = (name?: string) => folder.names(name).filter((found) => !/-(wal|shm)$/.test(found));

const grow = () =>
	change(folder.file(), `UPDATE agents SET comfort_objects = hex(zeroblob(${MUCH_BYTES / 2}))`);

describe("`resort backup -`", () => {
	test("writes a copy to a slow pipe, and the copy can be restored", async () => {
		grow();
		const ended = await shell(
			"set -e; resort backup - | { sleep 1; cat; } > tmp/copy && resort restore tmp/copy --database tmp/resort.sqlite",
		);
		expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
		expect([...look(folder.file("tmp/resort.sqlite")).ids]).toEqual([agent]);
		expect(statSync(folder.file("tmp/copy")).size).toBeGreaterThan(MUCH_BYTES);
	});

	testWith(["script"], "is refused if stdout is a terminal", async () => {
		const command = `${executable} backup - --database ${folder.file()}`;
		const { exitCode, output } = await runTool("script", ["-qec", command, "/dev/null"]);
		expect(output).toMatch(/^resort: stdout is a terminal: [^\n]*\r\n$/);
		expect(exitCode).toBe(2);
	});

	test("exits with 1 if the reader closes stdout", async () => {
		grow();
		const before = names();
		const { stdout, stderr } = await shell("resort backup - | head --bytes=16; echo $PIPESTATUS");
		expect(stdout).toBe("SQLite format 3\0" + "1\n");
		expect(stderr).toBe("resort: cannot write the backup to stdout: broken pipe (EPIPE)\n");
		expect(names()).toEqual(before);
	});

	test("exits with 1 if stdout is a file on a full disk", async () => {
		const { exitCode, stderr } = await shell("resort backup - > /dev/full");
		expect(stderr).toMatch(/^resort: cannot write the backup .*ENOSPC/);
		expect(exitCode).toBe(1);
	});

	mounts.test("exits with 1 if there is no space for the temporary copy", async () => {
		const { exitCode, stdout, stderr } = await shell(
			"TMPDIR=tmp resort backup -; code=$?; ls -A tmp; exit $code",
			mounting("mount -t tmpfs -o size=64k none tmp"),
		);
		expect(stderr).toMatch(
			/^resort: cannot copy database [^\n]* to [^\n]*\/tmp\/resort-backup[^\n]*: [^\n]*full[^\n]*\n$/,
		);
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
	});

	test.each(["SIGHUP", "SIGKILL"] as const)(
		"stops on %s while nobody reads stdout, and leaves no file",
		async (signal) => {
			const before = names();
			grow();
			const output = { stdout: "pipe", stderr: "pipe" } as const;
			const child = Bun.spawn([executable, "backup", "-"], { cwd: folder.path, env: {}, ...output });
			await child.stdout.getReader().read();
			await until(() => !names().join().includes(".tmp"));
			child.kill(signal);
			const exitCode = await child.exited;
			const stderr = await new Response(child.stderr).text();
			expect([exitCode, stderr]).toEqual(
				signal === "SIGKILL" ? [137, ""] : [1, "resort: stopped: the backup is incomplete\n"],
			);
			expect(names()).toEqual(before);
		},
	);
});

describe("resort", () => {
	test.each([
		["-", "SIGINT"],
		["tmp/copy", "SIGTERM"],
		["--dir tmp", "SIGQUIT"],
	] as const)("`backup %s` stops on %s during the copy, and leaves no file", async (line, signal) => {
		const args = line.split(" ");
		grow();
		const before = names();
		const place = args[0] === "-" ? "." : "tmp";
		const options = { cwd: folder.path, env: {}, stdout: "ignore", stderr: "pipe" } as const;
		const start = () => Bun.spawn([executable, "backup", ...args], options);
		let child = start();
		while (!names(place).join().includes(".tmp")) {
			await Bun.sleep(1);
			if (child.exitCode === null) continue;
			// The copy was complete before a signal could be sent: deletes it, and starts the command again.
			for (const name of names("tmp")) rmSync(folder.file(`tmp/${name}`));
			child = start();
		}
		child.kill(signal);
		expect(await child.exited).toBe(1);
		expect(await new Response(child.stderr).text()).toMatch(/^resort: stopped: [^\n]*\n$/);
		expect(names()).toEqual(before);
		expect(names("tmp")).toEqual([]);
	});
});

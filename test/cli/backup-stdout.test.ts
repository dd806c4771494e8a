import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { SECOND_MS } from "../../src/core/lib/clock.ts";
import { change } from "../core/store/older.ts";
import { endOf, executable } from "../support/executable.ts";
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

const start = (...args: readonly string[]) =>
	Bun.spawn([executable, "backup", ...args], { cwd: folder.path, env: {}, stdout: "pipe", stderr: "pipe" });

describe("resort backup -", () => {
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
			const child = start("-");
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

describe("resort backup", () => {
	test.each([
		["-", "SIGINT"],
		["tmp/copy", "SIGTERM"],
		["--dir tmp", "SIGQUIT"],
	] as const)(
		"with the arguments %p stops on %s during the copy, and leaves no file",
		async (line, signal) => {
			const args = line.split(" ");
			grow();
			const before = names();
			const place = args[0] === "-" ? "." : "tmp";
			const isCopying = async () => {
				for (const endMs = Date.now() + SECOND_MS; Date.now() < endMs; ) {
					if (names(place).join().includes(".tmp")) return true;
					await Bun.sleep(1);
				}
				return false;
			};
			let child = start(...args);
			// Tries again if the copy was already complete.
			while (!(await isCopying())) {
				child.kill("SIGKILL");
				await child.exited;
				for (const name of names("tmp")) rmSync(folder.file(`tmp/${name}`));
				child = start(...args);
			}
			child.kill(signal);
			expect(await endOf(child)).toEqual({
				exitCode: 1,
				stdout: "",
				stderr: expect.stringMatching(/^resort: stopped: [^\n]*\n$/),
			});
			expect(names()).toEqual(before);
			expect(names("tmp")).toEqual([]);
		},
	);
});

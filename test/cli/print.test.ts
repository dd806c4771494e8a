import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../support/folder.ts";
import { linux } from "../support/requirements.ts";

const folder = useTemporaryFolder();

/** A shell command that waits until the reader of stdout has closed the pipe. */
const UNREAD = 'trap "" PIPE; while printf . 2>/dev/null; do :; done; trap - PIPE';

const DOCTOR = 'doctor --port 0 --database ":memory:"';
const printing = [DOCTOR, "--help", "serve --help", "--version", "help", "example nginx.conf"];

describe("printing to stdout", () => {
	test.each(printing)(
		'"resort %s" exits with 0 and an empty stderr if nobody reads its stdout',
		async (args) => {
			const line = `(${UNREAD}; exec "$0" ${args}) | true; echo "\${PIPESTATUS[0]}"`;
			expect(await folder.shell(line)).toEqual({ exitCode: 0, stdout: "0\n", stderr: "" });
		},
	);

	test.each([...printing, "serve --ephemeral --log-level error"])(
		'"resort %s" reports that the disk with stdout is full',
		async (args) => {
			const { exitCode, stderr } = await folder.shell(`"$0" ${args} >/dev/full`);
			expect(stderr).toMatch(/^resort: cannot write to stdout: no space left on device.*\n$/);
			expect(exitCode).toBe(1);
		},
	);

	linux.test('"resort backup -" and "resort admin reset-key" do nothing if stdout is closed', async () => {
		const id = await folder.visit();
		const before = await folder.run(["admin", "agent", id]);
		for (const args of ["backup -", `admin reset-key ${id}`]) {
			const stderr = "resort: stdout is closed: nothing was done\n";
			expect(await folder.shell(`"$0" ${args} >&-`)).toEqual({ exitCode: 1, stdout: "", stderr });
		}
		expect(before.stdout).toContain(id);
		expect(await folder.run(["admin", "agent", id])).toEqual(before);
	});

	test("backup and restore complete their work although nobody reads stdout", async () => {
		await (await folder.serve(["--port", "0"])).stop();
		const { stdout, stderr } = await folder.shell(
			`(${UNREAD}; "$0" backup copy && exec "$0" restore copy) | true; echo "\${PIPESTATUS[0]}"; ls`,
		);
		expect(stderr).toBe("");
		expect(stdout).toMatch(/^0\ncopy\n.*before-restore/s);
	});
});

test("the help shows commands and flags in columns", async () => {
	expect(await folder.succeed(["help"])).toContain("\n  serve        Serve a resort\n");
	const testHelp = await folder.succeed(["test", "--help"]);
	expect(testHelp).toMatch(/^ {2}--rate-limits on\|off\|N {5}.* \[off\]$/m);
});

test.each([
	["-h", "--help"],
	["help", "--help"],
	["help backup", "backup --help"],
	["doctor -h", "doctor --help"],
	["--port 1 -h", "--help"],
	["test -h -- ls", "test --help"],
])('"resort %s" prints the same as "resort %s"', async (line, same) => {
	const asked = await folder.run(line.split(" "));
	expect(asked).toEqual(await folder.run(same.split(" ")));
	expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
	expect(asked.stdout).toContain("Usage: resort");
});

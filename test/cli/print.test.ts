import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../support/folder.ts";
import { linux } from "../support/requirements.ts";

const folder = useTemporaryFolder();

/** A shell command that waits until the reader of stdout has closed the pipe. */
const UNREAD = 'trap "" PIPE; while printf . 2>/dev/null; do :; done; trap - PIPE';

const DOCTOR = 'doctor --port 0 --database ":memory:"';
const printing = [DOCTOR, "--help", "serve --help", "--version", "example nginx.conf"];

describe("resort", () => {
	test.each(printing)("`%s` exits with 0 and an empty stderr if nobody reads stdout", async (args) => {
		const line = `(${UNREAD}; exec "$0" ${args}) | true; echo "\${PIPESTATUS[0]}"`;
		expect(await folder.shell(line)).toEqual({ exitCode: 0, stdout: "0\n", stderr: "" });
	});

	test.each([...printing, "serve --ephemeral --log-level error"])(
		"`%s` reports a full disk if stdout is `/dev/full`",
		async (args) => {
			const { exitCode, stderr } = await folder.shell(`"$0" ${args} >/dev/full`);
			expect(stderr).toMatch(/^resort: cannot write to stdout: no space left on device.*\n$/);
			expect(exitCode).toBe(1);
		},
	);

	linux.test("`backup -` and `admin reset-key` do nothing if stdout is closed", async () => {
		const id = await folder.visit();
		const before = folder.contents();
		for (const args of ["backup -", `admin reset-key ${id}`]) {
			const stderr = "resort: stdout is closed: nothing was done\n";
			expect(await folder.shell(`"$0" ${args} >&-`)).toEqual({ exitCode: 1, stdout: "", stderr });
		}
		expect(folder.contents()).toEqual(before);
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

test.each([
	["-h", "the program", "\n  serve        Serve a resort\n"],
	["--help", "the program", "\n  serve        Serve a resort\n"],
	["help", "the program", "\n  serve        Serve a resort\n"],
	["--port 1 -h", "the program", "\n  serve        Serve a resort\n"],
	["help backup", "`backup`", "Usage: resort backup FILE"],
	["doctor -h", "`doctor`", "Usage: resort doctor"],
	["test -h -- ls", "`test`", "; a number multiplies all of them [off]\n"],
])("`resort %s` prints the help text of %s", async (line, _, part) => {
	expect(await folder.succeed(line.split(" "))).toContain(part);
});

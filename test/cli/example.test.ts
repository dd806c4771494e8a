import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run, temporaryFolder } from "../support/executable.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const deploy = join(import.meta.dir, "../../deploy");

test.each(["resort.service", "nginx.conf", "Caddyfile"])(
	"resort example %s prints the file as it is in deploy/",
	async (name) => {
		const { exitCode, stdout, stderr } = await run(["example", name], {
			cwd: folder.path,
		});
		expect(stdout).toBe(readFileSync(join(deploy, name), "utf8"));
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
	},
);

test.each([
	[["example"], "example takes one FILE"],
	[["example", "a", "b"], "example takes one FILE"],
	[["example", "constructor"], 'example "constructor": must be resort.service'],
	[["example", "../README.md"], "must be resort.service"],
	[["example", "nginx.conf", "--database", "x"], "unknown flag --database"],
])("resort %p is refused", async (args, told) => {
	const { exitCode, stdout, stderr } = await run(args, { cwd: folder.path });
	expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
	expect(stderr).toStartWith("resort: ");
	expect(stderr).toContain(told);
});

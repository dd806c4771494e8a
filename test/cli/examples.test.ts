import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endOf } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { testsWith } from "../support/tools.ts";

const root = join(import.meta.dir, "../..");
const cwd = join(root, "examples");

setDefaultTimeout(180_000);

/** Matches the line that a test runner prints on success. */
const passed = /^(?:OK|ok: 7 tests passed|# pass 8| 8 pass)$/m;

/** The PATH without folders that contain Bun but not Node. */
const pathWithoutBun = (process.env.PATH ?? "")
	.split(":")
	.filter((path) => {
		const has = (name: string) => existsSync(join(path, name));
		return !has("bun") || has("node");
	})
	.join(":");

const examples = [
	["dispatcher.test.mjs", "node"],
	["dispatcher_test.py", "python3"],
	["dispatcher-test.sh", "curl"],
] as const;

// Concurrent, because the dispatchers wait before they repeat calls.
describe.concurrent.each(examples)("examples/%s", (file, tool) => {
	const test = testsWith("node", "python3", tool);

	test("runs with the command in its comment", async () => {
		const text = readFileSync(join(cwd, file), "utf8");
		const [line = ""] = /^(?:\/\/ +|# +)?(?:\w+=|dist\/)\S+ .*examples\/dispatcher.*$/m.exec(text) ?? [];
		using folder = new TemporaryFolder();
		const child = Bun.spawn(["sh", "-c", line.replace(/^(?:\/\/|#)/, "")], {
			cwd: root,
			env: { PATH: pathWithoutBun, HOME: folder.path },
			stdout: "pipe",
			stderr: "pipe",
		});
		const { exitCode, stdout, stderr } = await endOf(child);
		expect(stderr + stdout).toMatch(passed);
		expect(exitCode).toBe(0);
	});
});

test("the workflow names existing files", () => {
	const workflow = readFileSync(join(cwd, "github-actions.yml"), "utf8");
	const paths = new Set(workflow.match(/examples\/[\w./-]+/g));
	expect(paths.size).toBe(2);
	for (const path of paths) {
		expect(existsSync(join(root, path))).toBe(true);
	}
});

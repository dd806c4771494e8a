import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadExamples } from "../../src/cli/example-command.ts";
import { endOf } from "../support/executable.ts";
import { TemporaryFolder, useTemporaryFolder } from "../support/folder.ts";
import { testsWith } from "../support/tools.ts";

const root = join(import.meta.dir, "../..");
const cwd = join(root, "examples");

setDefaultTimeout(180_000);

const folder = useTemporaryFolder();

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

test.each(Object.keys(await loadExamples()))("resort example %s prints the file", async (name) => {
	const path = ["deploy", "examples", "dist"]
		.map((place) => join(root, place, name))
		.find((path) => existsSync(path));
	const content = (text: string) => (name.endsWith(".json") ? JSON.parse(text) : text);
	const stdout = await folder.succeed(["example", name]);
	expect(content(stdout)).toEqual(content(readFileSync(path ?? "", "utf8")));
});

test("resort example resort.toml prints settings without warnings of doctor", async () => {
	const stdout = await folder.succeed(["example", "resort.toml"]);
	// The folder does not exist on this machine. Settings in comments are enabled.
	const text = stdout.replace("/var/lib/resort/", "./").replaceAll(/^#(?=[a-z-]+ = )/gm, "");
	folder.write(text, "resort.toml");
	const checked = await folder.doctor(["--config", "resort.toml"]);
	expect(checked.stdout).toContain("(resort.toml: max-stay)");
	expect(checked.stdout.match(/^warn {2}(?!database|free disk).*/gm)).toBeNull();
});

test("resort example fixtures.json prints valid fixtures with entries in every list", async () => {
	const stdout = await folder.succeed(["example", "fixtures.json"]);
	folder.write(stdout, "fixtures.json");
	const lists: Record<string, unknown[]> = JSON.parse(stdout);
	for (const name of ["agents", "stays", "experiences", "votes", "postcards"]) {
		expect([name, lists[name]]).not.toEqual([name, []]);
	}
	await using resort = await folder.serve(["--ephemeral", "--test-controls", "--fixtures", "fixtures.json"]);
	const state = await resort.send("GET", "/test/state");
	expect(state).toMatchObject({ agents: lists.agents?.length, guests: 1 });
});

test.each([
	[["example"], "example takes FILE"],
	[["example", "constructor"], 'example "constructor": must be resort.service'],
	[["example", "../README.md"], "must be resort.service"],
])("refuses resort %p", async (args, told) => {
	await folder.refuse(args, told, 2);
});

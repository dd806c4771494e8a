import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { executable, temporaryFolder } from "../support/executable.ts";
import { newProject, type Project } from "../support/module.ts";
import { testWith } from "../support/tools.ts";

const root = join(import.meta.dir, "../..");
const cwd = join(root, "examples");
const TIMEOUT_MS = 60_000;
const MAX_LINES = 120;

/** The part of `resort test` in the line that tells how to run an example. */
const withResort = [
	...[executable, "test", "--test-controls", "--frozen", "--max-stay", "1"],
	...["--fixtures", join(cwd, "fixtures.json"), "--"],
];

/** The line by which each of the runners tells of success. */
const passed = /^(?:OK|ok: 7 tests passed| 7 pass)$/m;

/** The path of a machine that has only Node; a folder in which Bun stands beside it stays. */
const pathWithoutBun = (process.env.PATH ?? "")
	.split(":")
	.filter((path) => {
		const has = (name: string) => existsSync(join(path, name));
		return !has("bun") || has("node");
	})
	.join(":");

/** What runs each of the tests. */
const examples = [
	["dispatcher.test.ts", [process.execPath, "test"]],
	["dispatcher_test.py", [...withResort, "python3"]],
	["dispatcher-test.sh", [...withResort, "sh"]],
] as const;

/** Dispatchers that are wrong: in each text the part that is replaced, and by what. */
const wrong: Record<string, readonly (readonly [string, string])[]> = {
	"dispatcher.test.ts": [
		['status === "available"', "status !== undefined"],
		["MAX_TRIES = 3", "MAX_TRIES = 2"],
		['?.headers.get("retry-after") ?? 0.01', "?.status && 0"],
		["TIMEOUT_MS = 500", "TIMEOUT_MS = 3900"],
		["return null;", "throw error;"],
	],
	"dispatcher_test.py": [
		['one["status"] == "available"', "True"],
		["MAX_TRIES = 3", "MAX_TRIES = 2"],
		['float(error.headers.get("Retry-After", pause))', "0"],
		["TIMEOUT_SECONDS = 0.5", "TIMEOUT_SECONDS = 9"],
		[
			"if tries_left == 0:\n                raise\n        time",
			"raise\n        time",
		],
	],
	"dispatcher-test.sh": [
		[
			'"status":"available","agent":{"id":"[^"]*',
			'"status":"[a-z]*","agent":{"id":"[^"]*',
		],
		["in 1 2 3", "in 1 2"],
		['sleep "', ': "'],
		["--max-time 1", "--max-time 9"],
		["|| lost=$?", "|| return 1"],
	],
};

describe.each(examples)("examples/%s", (file, runner) => {
	const text = readFileSync(join(cwd, file), "utf8");
	const run = async (project: Project, name: string, content: string) => {
		project.write(name, content);
		return await project.run([...runner, `./${name}`]);
	};

	testWith(
		["npm", runner.at(-1) === "python3" ? "python3" : "curl"],
		"passes in a project that has only the packed module",
		async () => {
			using project = await newProject();
			const ended = await run(project, file, text);
			const told = ended.stderr + ended.stdout;
			expect(told).toMatch(passed);
			expect(ended.exitCode).toBe(0);
		},
		TIMEOUT_MS,
	);

	testWith(
		["npm", runner.at(-1) === "python3" ? "python3" : "curl"],
		"fails for each of its behaviours that a dispatcher does not have",
		async () => {
			using project = await newProject();
			// One of them; `EXAMPLES=all` tries each.
			const count = process.env.EXAMPLES === "all" ? undefined : 1;
			const changes = (wrong[file] ?? []).slice(0, count);
			const ended = changes.map(async ([from, to], at) => {
				expect(text.split(from), from).toHaveLength(2);
				// Bun takes only files of certain names for tests.
				const name = `wrong-${at}-${file}`;
				const { exitCode } = await run(project, name, text.replace(from, to));
				return [from, exitCode];
			});
			expect(await Promise.all(ended)).toEqual(
				changes.map(([from]) => [from, 1]),
			);
		},
		TIMEOUT_MS,
	);

	test(`is short: ${MAX_LINES} lines at most`, () => {
		expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_LINES);
	});

	testWith(
		["node", runner.at(-1) === "python3" ? "python3" : "curl"],
		"runs in the repository's root by the line that it tells",
		async () => {
			const [line = ""] = /^[^"\n]*examples\/dispatcher.*$/m.exec(text) ?? [];
			const command = line.replace(/^(?:\/\/|#)/, "").trim();
			using folder = temporaryFolder();
			const child = Bun.spawn(["sh", "-c", command], {
				cwd: root,
				env: { PATH: pathWithoutBun, HOME: folder.path },
				stdout: "pipe",
				stderr: "pipe",
			});
			const [stdout, stderr] = await Promise.all([
				new Response(child.stdout).text(),
				new Response(child.stderr).text(),
			]);
			expect(stderr + stdout).toMatch(passed);
			expect(await child.exited).toBe(0);
		},
		TIMEOUT_MS,
	);
});

describe("examples", () => {
	test("the workflow names files that are there", () => {
		const named = readFileSync(join(cwd, "github-actions.yml"), "utf8").match(
			/examples\/[\w./-]+/g,
		);
		const paths = new Set(named);
		expect(paths.size).toBe(2);
		for (const path of paths) {
			expect(existsSync(join(root, path))).toBe(true);
		}
	});

	test("no other example is there, and none leaves a file", () => {
		expect(readdirSync(cwd).sort()).toEqual([
			"dispatcher",
			...examples.map(([file]) => file).sort(),
			"fixtures.json",
			"github-actions.yml",
		]);
	});
});

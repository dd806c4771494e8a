import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { run } from "../support/executable.ts";

const root = join(import.meta.dir, "../..");
const cwd = join(root, "examples");
const env = { PATH: process.env.PATH ?? "" };

/** What runs each of the tests. */
const examples = [
	["dispatcher.test.ts", [process.execPath, "test"]],
	["dispatcher_test.py", ["python3"]],
	["dispatcher-test.sh", ["sh"]],
] as const;

describe("examples", () => {
	test.each(examples)("%s passes", async (file, runner) => {
		const command = [...runner, `./${file}`];
		const ended = await run(["test", "--", ...command], { cwd, env });
		expect(ended.stderr + ended.stdout).toMatch(/\b(ok|1 pass)\b/i);
		expect(ended.exitCode).toBe(0);
	});

	test.each(examples)(
		"%s fails when a guest is said to be available",
		async (file, runner) => {
			await using lying = Bun.serve({
				port: 0,
				fetch: () =>
					Response.json({
						status: "available",
						agent: { id: "a" },
						apiKey: "k",
					}),
			});
			const child = Bun.spawn([...runner, `./${file}`], {
				cwd,
				env: { ...env, RESORT_URL: lying.url.origin },
				stdout: "pipe",
				stderr: "pipe",
			});
			expect(await child.exited).toBe(1);
			const told = await new Response(child.stderr).text();
			expect(told).toMatch(/second|toBe\(false\)|True is not false/);
		},
	);

	test("the workflow runs scripts and files that are there", () => {
		const text = readFileSync(join(cwd, "github-actions.yml"), "utf8");
		expect(Bun.YAML.parse(text)).toHaveProperty("jobs.test.steps");
		const [script = ""] = text.match(/(?<=npm run )\w+/) ?? [];
		expect(Object.keys(packageJson.scripts)).toContain(script);
		const [example = ""] = text.match(/examples\/\S+/) ?? [];
		expect(existsSync(join(root, example))).toBe(true);
		expect(text).toContain("agent-resort/dist/resort test ");
		// What is built is what is cached, and nothing is built when the cache has it.
		expect(text).toContain("path: agent-resort/dist/resort\n");
		const isNotCached = "if: steps.cache.outputs.cache-hit != 'true'";
		expect(text.split(isNotCached)).toHaveLength(3);
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

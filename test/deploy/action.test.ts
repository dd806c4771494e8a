import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { validate } from "@actions/languageservice";
import { TextDocument } from "vscode-languageserver-textdocument";
import { house, ids, keyOf } from "../features/testing/fixtures.ts";
import { answers } from "../features/testing/testing-module/project.ts";
import { resortAt } from "../support/calls.ts";
import { readDocument } from "../support/documents.ts";
import { executable } from "../support/executable.ts";
import { testWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { action, Job, readWorkflow } from "./action.ts";

const NOW = "2026-03-10T12:00:00.000Z";

/** For each action that a workflow uses: the names of the inputs that the workflow may set. */
const inputs: Readonly<Record<string, readonly string[]>> = {
	"agent-resort": Object.keys(action.inputs),
	cache: ["path", "key", "restore-keys"],
	checkout: [],
	"setup-node": ["node-version", "cache"],
	attest: ["subject-checksums"],
};

/** Returns the complaints of GitHub's parser about a workflow or an action. */
async function complaints(name: string, text: string): Promise<string[]> {
	// Each document gets a new URI, because the parser caches documents by their URIs.
	const uri = `file:///${crypto.randomUUID()}/${name}`;
	const document = TextDocument.create(uri, "yaml", 1, text);
	const found = await validate(document, {
		actionsMetadataProvider: {
			async fetchActionMetadata({ name: used }) {
				const names = (inputs[used] ?? []).map((one) => [one, { description: "" }]);
				return { name: used, description: "", inputs: Object.fromEntries(names) };
			},
		},
	});
	return found.map(({ message }) => String(message));
}

/** The steps of the action and of all jobs of the workflows. */
const allSteps = [
	action.runs,
	...Object.values(readWorkflow("ci.yml").jobs),
	...Object.values(readWorkflow("release.yml").jobs),
].flatMap(({ steps = [] }) => steps);

describe("action.yml and the workflows", () => {
	const files = [
		"action.yml",
		".github/workflows/ci.yml",
		".github/workflows/release.yml",
		"examples/github-actions.yml",
		"deploy/github-services.yml",
	];

	test.each(files)("are accepted by GitHub's parser: %s", async (path) => {
		expect(await complaints(path, readDocument(path))).toEqual([]);
	});

	test("pin actions by other owners to a commit", () => {
		const used = files.flatMap((path) => [...readDocument(path).matchAll(/uses: (.*)/g)]);
		const others = used.filter(([, name]) => !/^(OWNER|\.)\//.test(name ?? ""));
		expect(others.length).toBeGreaterThan(1);
		for (const [, name] of others) {
			expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		}
	});

	test("do not insert inputs into the text of a script", () => {
		for (const { run, shell, uses } of allSteps) {
			expect(run ?? "").not.toContain("${{");
			expect(uses === undefined ? shell : "bash").toBe("bash");
		}
	});

	testWith(["shellcheck"], "pass shellcheck, as do install.sh and examples/dispatcher-test.sh", async () => {
		const scripts = allSteps.flatMap(({ run }) => run ?? []);
		const all = [
			...scripts.map((script) => `#!/bin/bash\nset -eo pipefail\n${script}`),
			readDocument("examples/dispatcher-test.sh"),
			readDocument("install.sh"),
		];
		for (const script of all) {
			const child = Bun.spawn(["shellcheck", "-"], { stdin: Buffer.from(script), stdout: "pipe" });
			expect(await new Response(child.stdout).text()).toBe("");
		}
	});
});

describe("the steps of action.yml", () => {
	test("use the executable in the input `executable`, whether its path is absolute or relative", async () => {
		using job = new Job();
		const here = join(job.path, "resort");
		symlinkSync(executable, here);
		for (const given of [executable, here, "resort", "./resort"]) {
			await job.run("Find the resort", { executable: given });
			const found = given === executable ? executable : here;
			expect(job.env).toEqual({ RESORT_EXECUTABLE: found });
		}
		expect(job.outputs["steps.find.outputs.found"]).toBe("true");
	});

	test("refuse a missing executable", async () => {
		using job = new Job();
		const { exitCode, output } = await job.run("Find the resort", { executable: "/nowhere/resort" });
		expect(exitCode).toBe(1);
		expect(output).toContain("::error::executable: ");
	});

	test("cache one build of the resort for each version of its sources", async () => {
		const keys: string[] = [];
		for (const text of ["one", "one", "two"]) {
			using sources = new Job();
			writeFileSync(join(sources.path, "main.ts"), text);
			mkdirSync(join(sources.path, "node_modules"));
			writeFileSync(join(sources.path, "node_modules/a"), `${Math.random()}`);
			using job = new Job(sources.path);
			// Replaces npm: prints its arguments, and copies the executable instead of building it.
			const npm = join(job.path, "npm");
			writeFileSync(npm, `#!/bin/sh\necho "npm $*"\nmkdir -p dist && cp ${executable} dist/resort\n`);
			chmodSync(npm, 0o755);
			expect((await job.run("Find the resort")).exitCode).toBe(0);
			expect(job.outputs["steps.find.outputs.found"]).toBeUndefined();
			keys.push(job.outputs["steps.find.outputs.key"] ?? "");
			const env = { PATH: `${job.path}:${process.env.PATH}` };
			const built = await job.run("Build the resort", {}, env);
			expect(built.output).toBe("npm ci\nnpm run build\n");
			expect(existsSync(job.env.RESORT_EXECUTABLE ?? "")).toBe(true);
			// The step `cache` must keep the executable that the step `find` names.
			const cache = action.runs.steps.find(({ id }) => id === "cache");
			expect(cache?.with?.path).toContain("steps.find.outputs.executable");
		}
		expect(keys[0]).toMatch(/^agent-resort-Linux-X64-[0-9a-f]{40}$/);
		expect(keys[1]).toBe(keys[0] ?? "");
		expect(keys[2]).not.toBe(keys[0] ?? "");
	});

	test("start an instance that stops when the runner stops", async () => {
		using job = new Job();
		writeFileSync(join(job.path, "my house.json"), JSON.stringify(house()));
		await job.run("Find the resort", { executable });
		const inputs = { fixtures: "my house.json", seed: "1", now: NOW };
		const { exitCode, output } = await job.run(
			"Start an instance",
			{ ...inputs, frozen: "true", "max-stay": "0.5" },
			{ RESORT_DATABASE: "/nowhere/resort.sqlite", RESORT_PORT: "1" },
			"exec sleep 60",
		);
		expect({ exitCode, output }).toEqual({
			exitCode: 0,
			output: `The resort is ready at ${job.env.RESORT_URL}\n`,
		});
		const { RESORT_URL: url = "", RESORT_AGENT_KEYS: keys = "" } = job.env;
		expect(JSON.parse(keys)[ids.ada]).toBe(keyOf("a"));
		const { RESORT_AGENT_KEYS_FILE: file = "" } = job.env;
		expect(readFileSync(file, "utf8")).toBe(`${keys}\n`);
		const outputs = Object.values(action.outputs).map(({ value }) =>
			basename(value.replace(/\$\{\{ (.*) \}\}/, "$1")),
		);
		expect(Object.keys(job.outputs)).toEqual(expect.arrayContaining(outputs));
		const state = () => resortAt(url).send("GET", "/test/state");
		expect(await state()).toMatchObject({ now: NOW, frozen: true, guests: 1 });
		await resortAt(url).send("POST", "/test/clock", { body: { advanceSeconds: 1_800 } });
		expect(await state()).toMatchObject({ guests: 0 });
		job.kill();
		await until(async () => !(await answers(url)));
	});

	test("pass the keys of 1,225 agents in a file, because an environment variable with all keys would be too long", async () => {
		using job = new Job();
		const agents = Array.from({ length: 1_225 }, (_, at) => ({ name: `Guest ${at}` }));
		writeFileSync(join(job.path, "many.json"), JSON.stringify({ agents }));
		await job.run("Find the resort", { executable });
		const { exitCode } = await job.run("Start an instance", { fixtures: "many.json" });
		expect(exitCode).toBe(0);
		// Simulates a later step, which reads the keys from the file. With all keys in one environment variable,
		// Linux would not start the step, because a variable must be smaller than 128 KiB.
		const step = Bun.spawnSync(["/bin/cat", job.env.RESORT_AGENT_KEYS_FILE ?? ""], { env: job.env });
		expect(Object.keys(JSON.parse(step.stdout.toString()))).toHaveLength(1_225);
		expect(job.outputs["steps.start.outputs.keys-file"]).toBe(job.env.RESORT_AGENT_KEYS_FILE ?? "");
		expect(job.outputs["steps.start.outputs.keys"]).toBeUndefined();
	});

	test("refuse an invalid input, and do not run it as a command", async () => {
		using job = new Job();
		await job.run("Find the resort", { executable });
		const { exitCode, output } = await job.run("Start an instance", { seed: "1; touch here" });
		expect(exitCode).toBe(1);
		expect(output).toContain("::error::resort: --seed");
		expect(existsSync(join(job.path, "here"))).toBe(false);
		expect(job.env.RESORT_URL).toBeUndefined();
	});
});

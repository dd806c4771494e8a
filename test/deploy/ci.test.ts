import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readDocument, root } from "../support/documents.ts";
import { executable, requireProgram, run, runProgram, serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { steadyPort } from "../support/ports.ts";
import { testWith } from "../support/tools.ts";
import type { Service } from "./action.ts";

setDefaultTimeout(180_000);

const compose = Bun.YAML.parse(readDocument("deploy/compose.ci.yaml")) as {
	readonly services: { readonly resort: Service; readonly tests: Service };
};
const workflow = Bun.YAML.parse(readDocument("deploy/github-services.yml")) as {
	readonly jobs: {
		readonly test: {
			readonly services: { readonly resort: Service };
			readonly env: Readonly<Record<string, string>>;
			readonly steps: readonly { readonly run?: string }[];
		};
	};
};
const job = workflow.jobs.test;

/** The environment variables that the image sets. */
const ofImage = Object.fromEntries(
	(/^ENV (.*)$/m.exec(readDocument("deploy/Dockerfile"))?.[1] ?? "")
		.split(" ")
		.map((pair) => pair.split("=")),
);

/**
 * Returns the environment variables of a container, adapted to an executable on this machine: with a free port
 * and local paths.
 */
async function variablesOf({ environment, env: own, volumes = [] }: Service) {
	const RESORT_PORT = String(await steadyPort());
	const env: Record<string, string> = { ...ofImage, ...environment, ...own, RESORT_PORT };
	const [from = "", to] = volumes[0]?.split(":") ?? [];
	if (to !== undefined) {
		expect(env.RESORT_FIXTURES).toBe(to);
		env.RESORT_FIXTURES = join(root, "deploy", from);
	}
	return env;
}

const { resort: composed, tests } = compose.services;
const [from = "", to = ""] = tests.volumes?.[0]?.split(":") ?? [];
/** The command of the container `tests`, changed to run one test, and to read its file on this machine. */
const program = [
	...(tests.command?.map((part) => part.replace(to, join(root, "deploy", from))) ?? []),
	"DispatcherTest.test_one_call_asks_for_a_hundred_agents",
];
const script = job.steps.at(-1)?.run ?? "";

const containers: [name: string, service: Service, caller: Service, program: readonly string[]][] = [
	["deploy/compose.ci.yaml", composed, tests, program],
	["deploy/github-services.yml", job.services.resort, job, ["sh", "-c", script]],
];

const examples = [
	["dispatcher.test.mjs", "node"],
	["dispatcher_test.py", "python3"],
	["dispatcher-test.sh", "curl"],
] as const;

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

// The example programs mostly wait before they retry a call, so the tests run them concurrently.
describe.concurrent("the CI example", () => {
	for (const [file, tool] of examples) {
		testWith(["node", "python3", tool], `examples/${file} runs with the command in its comment`, async () => {
			const text = readDocument(`examples/${file}`);
			const [line = ""] = /^(?:\/\/ +|# +)?(?:\w+=|dist\/)\S+ .*examples\/dispatcher.*$/m.exec(text) ?? [];
			using folder = new TemporaryFolder();
			const env = { PATH: pathWithoutBun, HOME: folder.path };
			const command = ["sh", "-c", line.replace(/^(?:\/\/|#)/, "")];
			const { exitCode, stdout, stderr } = await runProgram(command, { cwd: root, env });
			expect(stderr + stdout).toMatch(passed);
			expect(exitCode).toBe(0);
		});
	}

	for (const [name, service, caller, program] of containers) {
		testWith(["python3"], `${name} connects tests to an instance`, async () => {
			using folder = new TemporaryFolder();
			const cwd = folder.path;
			const env = await variablesOf(service);
			const resort = await serve([], { cwd, env, program: [executable, "serve"] });
			// The image has no shell, so the command of the health check must be in exec form.
			const exec = ["CMD", "/usr/local/bin/resort", "healthcheck"];
			expect(service.healthcheck?.test ?? exec).toEqual(exec);
			expect(service.options ?? "").not.toContain("--health-cmd");
			expect((await run(["healthcheck"], { cwd, env })).exitCode).toBe(0);
			const called = new URL(caller.environment?.RESORT_URL ?? caller.env?.RESORT_URL ?? "");
			expect(called.port).toBe(ofImage.RESORT_PORT);
			for (const [host, status] of [[called.host, 200] as const, ["evil.test", 403] as const]) {
				const reset = await resort.call("POST", "/test/reset", { headers: { host } });
				expect(reset.status).toBe(status);
			}
			const url = `http://127.0.0.1:${resort.port}`;
			await requireProgram(program, { env: { PATH: process.env.PATH, RESORT_URL: url } });
			await resort.stop();
		});
	}
});

test("the tests in deploy/compose.ci.yaml begin once the resort is healthy", () => {
	expect(tests.depends_on).toHaveProperty("resort.condition", "service_healthy");
});

test("examples/github-actions.yml names existing files", () => {
	const paths = new Set(readDocument("examples/github-actions.yml").match(/examples\/[\w./-]+/g));
	expect(paths.size).toBe(2);
	for (const path of paths) {
		expect(existsSync(join(root, path))).toBe(true);
	}
});

import { afterAll, beforeAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../support/documents.ts";
import { executable } from "../../../support/executable.ts";
import { missingPackages, nodes, packages, testsWith, testUnless, toolPath } from "../../../support/tools.ts";
import { until } from "../../../support/until.ts";
import { useServer } from "../../../support/use-resort.ts";
import { answers, Project } from "./project.ts";

const test = testsWith("node", "npm");

/** Invalid settings of a permanent instance. An ephemeral instance that read them would not start. */
const KEPT = {
	RESORT_DATABASE: "/nowhere/resort.sqlite",
	RESORT_MAX_STAY: "long",
	RESORT_SEED: "none",
	PORT: "1",
};

const vitest = ["node", join(root, "node_modules/vitest/vitest.mjs")].concat(
	"run spec --root . --testTimeout 60000".split(" "),
);

let project: Project;
beforeAll(async () => {
	if (toolPath("npm") === null) return;
	project = await Project.create();
	project.link("vitest");
	project.write(`import { startResort } from "agent-resort/testing";\n${VISIT}`, "bundled.mjs");
	project.write(`const { startResort } = require("agent-resort/testing");\n${VISIT}`, "bundled.cjs");
	project.copy("webpack.cjs");
});
afterAll(() => project?.[Symbol.dispose]());

/** Variables that name a proxy at a port where no program listens. */
const PROXY = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1", NODE_USE_ENV_PROXY: "1" };

const bunTest = [process.execPath, "test", "--timeout", "60000"];

describe("startResort works despite fake timers, a proxy and stubs of `fetch` and `http.request`", () => {
	for (const [runner, source, files, command] of [
		["Node's test runner", "node.mjs", ["node.mjs"], ["node", "--test", "./node.mjs"]],
		["two workers of Vitest", "vitest.mjs", ["a.spec.mjs", "b.spec.mjs"], [...vitest, "--maxWorkers", "2"]],
		["bun test", "bun.mjs", ["bun.test.mjs"], [...bunTest, "./bun.test.mjs"]],
	] as const) {
		test(`in ${runner}`, async () => {
			project.write("", "urls");
			project.copy("visit.cjs");
			for (const file of files) project.copy(source, file);
			const { exitCode, stdout, stderr } = await project.run(command, { ...KEPT, ...PROXY });
			expect(exitCode, stdout + stderr).toBe(0);
			const urls = readFileSync(project.file("urls"), "utf8").trim().split("\n");
			expect(new Set(urls).size).toBe(files.length);
			for (const url of urls) await until(async () => !(await answers(url)));
		});
	}
});

test("stop() rejects while `nextTick` is fake, and resolves once `nextTick` is restored", async () => {
	project.copy("refused.mjs");
	const ended = await project.run(["node", "refused.mjs"]);
	expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
});

test("a forked process does not keep its parent's resort running, even if the process outlives the parent", async () => {
	project.copy("forking.mjs");
	const { stdout } = await project.run(["sh", "-c", "node forking.mjs >out 2>&1; cat out"]);
	const { url, child, stopMs } = JSON.parse(stdout.split("\n")[0] ?? "");
	try {
		expect(stopMs).toBeLessThan(2_000);
		await until(async () => !(await answers(url)));
	} finally {
		process.kill(child, "SIGKILL");
	}
});

/** A program that imports all exports of the package. */
const TYPED = `import { type ConnectedResort, connect, type CutConnections, type Fault, type Fixtures, type LogLine, type OperationId, type OperationName, type RecordedCall, type ResortState, type RunningResort, type StartOptions, startResort } from "agent-resort/testing";

async function visit(): Promise<void> {
	const resort: RunningResort = await startResort({ fixtures: { agents: [{ name: "Ada" }] } });
	const { status } = await fetch(resort.url + "/api/health");
	await resort.stop();
	console.log(status, Object.keys(resort.keys).length);
}
visit();
`;

const WRONG = `import { startResort } from "agent-resort/testing";
const resort = await startResort({ frozen: "yes" });
await startResort({ maxstay: 1 });
await resort.advance("1");
await resort.fault({ status: 500 });
await resort.fault({ operation: "getLobby", drop: false });
await resort.fault({ operation: "getLoby", status: 500 });
await resort.fault({ operation: "GET /api/loby", status: 500 });
await startResort({ fixtures: { agents: [{ nam: "Ada" }] } });
await resort.calls({ operation: "getlobby" });
resort.url = "";
`;

/** Compiles files of the project strictly, without the types of Node and Bun. */
const compile = (sources: readonly string[], module: string, ...more: string[]) =>
	project.run([
		"node",
		join(root, "node_modules/typescript/bin/tsc"),
		..."--ignoreConfig --strict --target es2022 --exactOptionalPropertyTypes --skipLibCheck false".split(" "),
		"--types",
		"",
		"--module",
		module,
		...more,
		...sources,
	]);

/** The ways in which TypeScript resolves the package: as an ES module, as CommonJS, and for a bundler. */
const resolutions: readonly [sources: readonly string[], module: string, how: string][] = [
	[["imported.mts", "required.cts"], "node16", "node16"],
	[["bundled.ts"], "esnext", "bundler"],
];

describe("the package in an empty project", () => {
	const resort = useServer(["--ephemeral"]);

	test("can be compiled with TypeScript, which finds invalid options, and then runs in Node", async () => {
		const compiled: string[] = [];
		project.write(WRONG, "wrong.mts");
		const wrong = Array.from({ length: 10 }, (_, at) => `wrong.mts(${at + 2}`);
		for (const [sources, module, how] of resolutions) {
			for (const source of sources) project.write(TYPED, source);
			const { stdout } = await compile(["wrong.mts", ...sources], module, "--moduleResolution", how);
			const errors = [...stdout.matchAll(/^\S[^,]*/gm)].map(([error]) => error);
			expect(errors).toEqual(wrong);
			compiled.push(...sources.map((source) => source.replace("ts", "js")));
		}
		const required = readFileSync(project.file("required.cjs"), "utf8");
		expect(required).toContain('require("agent-resort/testing")');
		const env = { RESORT_API_URL: resort.url };
		for (const node of nodes) {
			for (const program of compiled) {
				const { stdout, stderr } = await project.run([node, program]);
				expect({ node, program, stdout, stderr }).toEqual({ node, program, stdout: "200 1\n", stderr: "" });
			}
			const lobby = await project.run([node, "node_modules/.bin/agent-resort", "lobby"], env);
			expect(lobby).toMatchObject({ exitCode: 0, stderr: "" });
			expect(JSON.parse(lobby.stdout)).toMatchObject({ guests: [] });
		}
	});
});

const VISIT = `startResort().then(async (resort) => {
	console.log((await fetch(resort.url + "/api/health")).status);
	await resort.stop();
}, (error) => console.log(String(error)));
`;

const esbuild = [join(root, "node_modules/.bin/esbuild"), "--bundle", "--platform=node", "--log-level=error"];
const bun = [process.execPath, "build", "--target=node"];

/** Bundles a file, and checks what the bundle prints with and without the executable on the PATH. */
async function expectWorks(command: readonly string[], bundle: string): Promise<void> {
	const bundled = await project.run(command, { WEBPACK: join(packages, "webpack") });
	expect(bundled).toMatchObject({ exitCode: 0, stderr: "" });
	const path = `${process.env.PATH}:`;
	const run = (PATH: string) => project.run(["node", bundle], { PATH, RESORT_EXECUTABLE: "" });
	expect((await run(path + join(executable, ".."))).stdout).toBe("200\n");
	expect((await run(path)).stdout).toBe(
		'Error: cannot start "resort" (ENOENT): put resort on the PATH, or set executable or RESORT_EXECUTABLE\n',
	);
}

for (const [name, bundler, source, format] of [
	["esbuild", esbuild, "bundled.mjs", "esm"],
	["esbuild", esbuild, "bundled.cjs", "cjs"],
	["Bun", bun, "bundled.mjs", "cjs"],
] as const) {
	test(`a test that ${name} bundles from \`${source}\` into the format \`${format}\` starts a resort`, () => {
		const out = `${name}-${source}.${format === "esm" ? "mjs" : "cjs"}`;
		return expectWorks([...bundler, source, `--format=${format}`, `--outfile=${out}`], out);
	});
}

for (const source of ["bundled.mjs", "bundled.cjs"]) {
	testUnless(missingPackages, `a test that webpack bundles from \`${source}\` starts a resort`, () => {
		const bundle = `webpack-${source}.cjs`;
		return expectWorks(["node", "webpack.cjs", source, bundle], bundle);
	});
}

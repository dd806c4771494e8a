import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { root } from "../../../support/documents.ts";
import { executable } from "../../../support/executable.ts";
import { missingPackages, packages, testUnless, testWith } from "../../../support/tools.ts";
import { newProject, type Project } from "./project.ts";

let project: Project;
beforeAll(async () => {
	project = await newProject();
	for (const [name, load] of [
		["imported.mjs", 'import { startResort } from "agent-resort/testing";'],
		["required.cjs", 'const { startResort } = require("agent-resort/testing");'],
	] as const) {
		project.write(name, `${load}\n${VISIT}`);
	}
	project.write("webpack.cjs", WEBPACK);
});
afterAll(() => project[Symbol.dispose]());

const VISIT = `startResort().then(async (resort) => {
	console.log((await fetch(resort.url + "/api/health")).status);
	await resort.stop();
}, (error) => console.log(String(error)));
`;

/** Bundles a file, and fails for warnings too. */
const WEBPACK = `const webpack = require(process.env.WEBPACK);
const [, , source, filename] = process.argv;
const output = { path: __dirname, filename };
webpack({ mode: "production", target: "node", entry: "./" + source, output }, (error, stats) => {
	if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
	console.error(error ?? stats.toString());
	process.exit(1);
});
`;

const esbuild = [join(root, "node_modules/.bin/esbuild"), "--bundle", "--platform=node", "--log-level=error"];
const bun = [process.execPath, "build", "--target=node"];

/** Bundles a file, and runs the bundle with and without the executable on the PATH. */
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
	["esbuild", esbuild, "imported.mjs", "esm"],
	["esbuild", esbuild, "required.cjs", "cjs"],
	["Bun", bun, "imported.mjs", "cjs"],
	["Bun", bun, "required.cjs", "cjs"],
] as const) {
	testWith(["node"], `a test that ${name} has bundled from ${source} to ${format} starts a resort`, () => {
		const out = `${name}-${source}.${format === "esm" ? "mjs" : "cjs"}`;
		return expectWorks([...bundler, source, `--format=${format}`, `--outfile=${out}`], out);
	});
}

for (const source of ["imported.mjs", "required.cjs"]) {
	testUnless(missingPackages, `a test that webpack has bundled from ${source} starts a resort`, () => {
		const bundle = `webpack-${source}.cjs`;
		return expectWorks(["node", "webpack.cjs", source, bundle], bundle);
	});
}

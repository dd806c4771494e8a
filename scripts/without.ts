/**
 * Checks that features can be deleted: `bun scripts/without.ts [--tests] [NAME...]`, by default each feature.
 * Copies the checkout to a temporary folder, deletes the feature and those that import it there, checks the
 * types of the source and of the core's tests, and builds the executable, which also starts it and calls
 * /api/health. With `--tests`, also runs the tests of the core.
 */
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { root } from "./compile.ts";

/** The lists of features, in the program and in the tests. */
const LISTS = ["src/cli/features.ts", "test/support/features.ts"];

/** Covers the source, and the tests of the core with what they import. */
const PROJECT = "tsconfig.without.json";
const project = {
	extends: "./tsconfig.json",
	include: ["src", "test/core"],
	compilerOptions: { incremental: false },
};

const { values, positionals } = parseArgs({
	options: { tests: { type: "boolean" } },
	allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : readdirSync(join(root, "src/features"));

for (const name of names) {
	const folder = mkdtempSync(join(tmpdir(), `without-${name}-`));
	try {
		await copyWithout([name, ...(await dependentsOf(name))], folder);
		await report(name, "types", $`node_modules/.bin/tsc --project ${PROJECT}`.cwd(folder));
		await report(name, "build", $`node_modules/.bin/bun scripts/build.ts`.cwd(folder));
		if (!values.tests) continue;
		await report(name, "tests", $`node_modules/.bin/bun test --timeout 60000 test/core`.cwd(folder));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Returns the features that import a feature. */
async function dependentsOf(name: string): Promise<string[]> {
	const files = await $`git grep -lE ${`from "(\\.\\./)+${name}/`} -- src/features`
		.cwd(root)
		.nothrow()
		.text();
	const features = files.split("\n").map((file) => file.split("/")[2] ?? "");
	return [...new Set(features)].filter((one) => one !== "" && one !== name);
}

/** Copies the tracked files of the checkout, without some features and their tests. */
async function copyWithout(names: readonly string[], folder: string): Promise<void> {
	const excluded = names.flatMap((name) => [`:!src/features/${name}`, `:!test/features/${name}`]);
	const files = await $`git ls-files -z --cached --others --exclude-standard -- . ${excluded}`
		.cwd(root)
		.text();
	await $`xargs -0 cp --parents -t ${folder} < ${new Response(files)}`.cwd(root);
	symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
	await Bun.write(join(folder, PROJECT), JSON.stringify(project));
	for (const list of LISTS) {
		const path = join(folder, list);
		await Bun.write(path, names.reduce(withoutFeature, await Bun.file(path).text()));
	}
	const manifest = join(folder, "package.json");
	const { exports, ...rest } = await Bun.file(manifest).json();
	const kept = Object.entries(exports).filter(
		([, target]) => !names.some((name) => `${target}`.includes(`/features/${name}/`)),
	);
	await Bun.write(manifest, JSON.stringify({ ...rest, exports: Object.fromEntries(kept) }));
}

/** Removes the import of a feature, and the imported name from the list of features. */
function withoutFeature(source: string, name: string): string {
	const line = new RegExp(`^import \\{ (\\w+) \\} from "../features/${name}/(test-)?feature.ts";\n`, "m");
	const [statement, variable] = line.exec(source) ?? [];
	if (statement === undefined) return source;
	return source
		.replace(statement, "")
		.replace(new RegExp(`\\b${variable},?\\s*(?=[\\w\\],\\s]*\\](;| as const))`), "");
}

/** Runs a command, and prints whether it succeeded; if not, also the first lines of its errors. */
async function report(name: string, step: string, command: $.ShellPromise): Promise<void> {
	const startMs = performance.now();
	const { exitCode, stdout, stderr } = await command.quiet().nothrow();
	const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
	process.stdout.write(`${exitCode === 0 ? "ok  " : "FAIL"}  ${name}: ${step} (${seconds} s)\n`);
	if (exitCode === 0) return;
	process.exitCode = 1;
	const lines = `${stdout}${stderr}`.split("\n").filter((line) => /error|\(fail\)/i.test(line));
	process.stdout.write(`${lines.slice(0, 20).join("\n")}\n`);
}

/**
 * Checks that features can be deleted: `bun scripts/without.ts [NAME...]`. Copies the checkout to a temporary
 * folder, and deletes the named features in the copy, and all features that import them. Then checks the
 * types, builds the executable (the build also starts it and calls /api/health), and runs the tests of the
 * core. Without names, deletes all features together, and then each one alone. For each one alone, only
 * starts the program from its sources, because test/architecture.test.ts checks what features import.
 */
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { root } from "./compile.ts";

/** The lists of features, in the program and in the tests. */
const LISTS = ["src/cli/features.ts", "test/support/features.ts"];

/** The tests of the core that run without features: the rules of the resort, and the layers that features extend. */
const CORE_TESTS = ["config", "resort", "calls", "http"].map((layer) => `test/core/${layer}`);

const PROJECT = "tsconfig.without.json";

/** The number of features that are checked at the same time. */
const AT_ONCE = 2;

const { positionals } = parseArgs({ allowPositionals: true });
const all = readdirSync(join(root, "src/features"));
const unknown = positionals.find((name) => !all.includes(name));
if (unknown !== undefined) throw new Error(`no feature is called ${unknown}; there are ${all.join(", ")}`);

const isNamed = positionals.length > 0;
// All of them together take the longest, so they come first.
const waiting = isNamed ? [positionals] : [all, ...all.map((name) => [name])];
const checkNext = async (): Promise<void> => {
	for (let names = waiting.shift(); names !== undefined; names = waiting.shift()) {
		await check(names, isNamed || names === all);
	}
};
await Promise.all(Array.from({ length: AT_ONCE }, checkNext));

/** @param isComplete whether to check the types, build and test too, rather than only start the program */
async function check(names: readonly string[], isComplete: boolean): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "without-"));
	const label = names.length === all.length ? "all" : names.join(", ");
	try {
		const removed = new Set(names);
		// A set visits the names that are added meanwhile, so this includes indirect dependents.
		for (const name of removed) for (const dependent of await dependentsOf(name)) removed.add(dependent);
		await copyWithout([...removed], folder);
		if (!isComplete) {
			await report(label, "start", $`node_modules/.bin/bun scripts/healthy.ts`.cwd(folder));
			return;
		}
		const project = { extends: "./tsconfig.json", include: ["src", "test/core"] };
		await Bun.write(join(folder, PROJECT), JSON.stringify(project));
		await report(
			label,
			"types",
			$`node_modules/.bin/tsc --incremental false --project ${PROJECT}`.cwd(folder),
		);
		await report(label, "build", $`node_modules/.bin/bun scripts/build.ts`.cwd(folder));
		const run = $`node_modules/.bin/bun test --parallel=2 --no-isolate --timeout 60000 ${CORE_TESTS}`;
		await report(label, "tests of the core", run.cwd(folder));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Returns the features that import a feature directly. */
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
	const lines = `${stdout}${stderr}`.split("\n").filter((line) => /^error|error TS|^\(fail\)/.test(line));
	process.stdout.write(`${lines.slice(0, 60).join("\n")}\n`);
}

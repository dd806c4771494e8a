/**
 * Changes random operators, constants and conditions in `src/` one at a time, and checks that the type
 * checker or a test fails. Works on a clone of HEAD; the working tree is not touched. With
 * RESORT_TEST_POSTGRES (see CONTRIBUTING.md), the tests in `.ci/postgres-tests` run on PostgreSQL too.
 *
 * bun scripts/mutate.ts [--count 100] [--seed 1] [--only src/core/calls/] [--list]
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/features/testing/seeded-random.ts";

/** The maximum duration of a command. A mutant that exceeds it is killed, because CI would notice it, too. */
const TIMEOUT_MS = 1_200_000;

/**
 * The code to replace, and its replacement. The formatter puts spaces around operators, so a `<` without
 * spaces belongs to a type argument.
 */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
	[/ === /g, " !== "],
	[/ !== /g, " === "],
	[/ < /g, " <= "],
	[/ <= /g, " < "],
	[/ > /g, " >= "],
	[/ >= /g, " > "],
	[/ && /g, " || "],
	[/ \|\| /g, " && "],
	[/ \+ /g, " - "],
	[/ - /g, " + "],
	[/ \* /g, " / "],
	[/ \+= /g, " -= "],
	[/\btrue\b/g, "false"],
	[/\bfalse\b/g, "true"],
	[/\bif \(/g, "if (!("],
	[/(?<![\w.#])\d[\d_]*(?![\w.])/g, "+1"],
];

interface Mutant {
	readonly file: string;
	/** The number of the line, from 0. */
	readonly line: number;
	readonly before: string;
	readonly after: string;
}

const { values } = parseArgs({
	options: {
		count: { type: "string", default: "100" },
		seed: { type: "string", default: "1" },
		only: { type: "string", default: "src/" },
		list: { type: "boolean", default: false },
	},
});

const BUILD = ["npx", "bun", "run", "build"];

const root = join(import.meta.dir, "..");
const clone = mkdtempSync(join(tmpdir(), "resort-mutants-"));
try {
	// Some tests run programs of the clone as another user.
	chmodSync(clone, 0o755);
	await run(["git", "clone", "-q", root, clone], root);
	symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
	// Requires that all tests pass, because a test that always fails would kill every mutant.
	await run(BUILD, clone);
	const failed = values.list ? null : await failedTest(await allTests());
	if (failed !== null) throw new Error(`fails without a mutant: ${failed}`);
	process.exitCode = await mutate();
} finally {
	rmSync(clone, { recursive: true });
}

/** Tries the mutants. @returns the exit code: 1 if more than 3 % of the mutants survive */
async function mutate(): Promise<number> {
	const random = seededRandom(Number(values.seed));
	const candidates = await allMutants();
	const survivors: Mutant[] = [];
	const count = Math.min(Number(values.count), candidates.length);
	for (let at = 1; at <= count; at++) {
		const [mutant] = candidates.splice(random.below(candidates.length), 1);
		if (mutant === undefined) break;
		const result = values.list ? "listed" : await tryMutant(mutant);
		if (result === "survived") survivors.push(mutant);
		print(`${at}/${count} ${result} ${describe(mutant)}`);
	}
	if (values.list) return 0;
	print(`${count - survivors.length} of ${count} killed`);
	for (const survivor of survivors) print(`survived: ${describe(survivor)}`);
	return survivors.length > count * 0.03 ? 1 : 0;
}

async function allMutants(): Promise<Mutant[]> {
	const { output } = await run(["git", "ls-files", values.only], clone);
	const files = output.split("\n").filter((file) => /^src\/(?!content\/).*(?<!\.d)\.ts$/.test(file));
	const mutants: Mutant[] = [];
	for (const file of files) {
		const text = await Bun.file(join(clone, file)).text();
		const code = maskText(text).split("\n");
		for (const [line, before] of text.split("\n").entries()) {
			const masked = code[line] ?? "";
			for (const [pattern, replacement] of REPLACEMENTS) {
				for (const { index, 0: found } of masked.matchAll(pattern)) {
					const rest = before.slice(index + found.length);
					const after = replaced(found, replacement, rest);
					if (after === null) continue;
					mutants.push({ file, line, before, after: before.slice(0, index) + after });
				}
			}
		}
	}
	return mutants;
}

/**
 * Returns the mutated code with the rest of its line. A condition is negated, a number is incremented, and an
 * operator is replaced.
 * @returns null for a condition that continues on the next line
 */
function replaced(found: string, replacement: string, rest: string): string | null {
	if (replacement === "+1") return Number(found.replaceAll("_", "")) + 1 + rest;
	if (!replacement.startsWith("if")) return replacement + rest;
	let depth = 1;
	for (const [at, character] of [...rest].entries()) {
		if (character === "(") depth++;
		if (character === ")") depth--;
		if (depth > 0) continue;
		return `${replacement}${rest.slice(0, at)})${rest.slice(at)}`;
	}
	return null;
}

/**
 * Replaces comments and the contents of strings, templates and imports by spaces, so that only code is
 * changed.
 */
function maskText(text: string): string {
	const blank = (found: string) => found.replaceAll(/[^\n]/g, " ");
	return text
		.replaceAll(
			/\/\*[\s\S]*?\*\/|^\s*\/\/.*$| \/\/ .*$|`(?:\\[\s\S]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/gm,
			blank,
		)
		.replaceAll(/^(?:import|export) (?:type )?[{*][\s\S]*?;$/gm, blank);
}

/** Tests, and the PostgreSQL server on which they run. Without a server, they run on SQLite. */
interface Stage {
	readonly paths: readonly string[];
	readonly server?: string;
}

/**
 * Returns all tests on SQLite and, if a PostgreSQL server is set, the tests that `.ci/run` runs on
 * PostgreSQL.
 */
async function allTests(): Promise<readonly Stage[]> {
	const { RESORT_TEST_POSTGRES: server } = process.env;
	const all = { paths: ["test/"] };
	if (server === undefined) return [all];
	const list = await Bun.file(join(clone, ".ci/postgres-tests")).text();
	return [all, { paths: list.trim().split("\n"), server }];
}

/**
 * Applies a mutant, checks the types, and runs the tests: the nearest ones first, then the random walk, then
 * all.
 */
async function tryMutant(mutant: Mutant): Promise<string> {
	const path = join(clone, mutant.file);
	const original = await Bun.file(path).text();
	const lines = original.split("\n");
	lines[mutant.line] = mutant.after;
	await Bun.write(path, lines.join("\n"));
	try {
		if (!(await run(["npx", "tsc"], clone)).isSuccess) return "killed by tsc";
		if (!(await run(BUILD, clone)).isSuccess) return "killed by build";
		const test = await failedTest([
			{ paths: [nearestTests(mutant.file)] },
			{ paths: ["test/walk/"] },
			...(await allTests()),
		]);
		return test === null ? "survived" : `killed by ${test}`;
	} finally {
		await Bun.write(path, original);
	}
}

/** Runs stages one after the other. @returns the first test that failed, or null */
async function failedTest(stages: readonly Stage[]): Promise<string | null> {
	const options = ["--bail", "--parallel=2", "--no-isolate"];
	const command = ["npx", "bun", "test", ...options, "--timeout", "60000"];
	for (const { paths, server } of stages) {
		const environment = { RESORT_TEST_POSTGRES: server };
		const ended = await run([...command, ...paths], clone, environment);
		if (ended.isSuccess) continue;
		const [failed] = /^\(fail\) .*$/m.exec(ended.output) ?? [];
		return failed ?? `an error in ${paths.join(" ")}`;
	}
	return null;
}

/**
 * Returns the test folder that corresponds to the folder of a source file, or to the nearest one above it.
 */
function nearestTests(file: string): string {
	let folder = dirname(file).replace(/^src/, "test");
	while (!existsSync(join(clone, folder))) folder = dirname(folder);
	return `${folder}/`;
}

async function run(
	command: string[],
	cwd: string,
	environment: Record<string, string | undefined> = {},
): Promise<{ isSuccess: boolean; output: string }> {
	const child = Bun.spawn(command, {
		cwd,
		env: { ...process.env, WALK_STEPS: "1500", MCP_MESSAGES: "2000", ...environment },
		stdout: "pipe",
		stderr: "pipe",
		timeout: TIMEOUT_MS,
	});
	const [output, errors] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
	]);
	return { isSuccess: (await child.exited) === 0, output: output + errors };
}

function describe({ file, line, before, after }: Mutant): string {
	return `${file}:${line + 1}\n\t- ${before.trim()}\n\t+ ${after.trim()}`;
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

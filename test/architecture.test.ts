/**
 * Checks the layers of src/ (docs/architecture.md): the core imports only itself and src/content; the
 * features import the core; and the programs combine the core and the features.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { operations } from "../src/cli/operations.ts";

/** The layers of the core, the lowest first. A file may import files of its own layer and of lower layers. */
const coreLayers = ["lib", "store", "config", "resort", "calls", "http", "server", "commands"];

/** The features that import another feature, with the reason. */
const featureImports: Readonly<Record<string, string>> = {
	"admin → pages":
		"the page for hosts (people) has the style of pages, and reports contain the day of the home page",
	"admin → webhooks": "reports list an agent's webhooks",
	"mcp → documents": "the guide is a resource",
	"pages → documents": "the API reference shows the OpenAPI document",
	"pages → webhooks": "/me lists the agent's webhooks",
};

/** Modules of the feature `pages` that help to build pages. Every feature may import them. */
const shared = /^features\/pages\/(settings|html|fragments|pages\/public-page)\.ts$/;

/** Modules that only the named files may import, types included. */
const reserved: readonly (readonly [imports: RegExp, files: RegExp])[] = [
	// The interfaces of these libraries change in their next versions, so only one module uses each of them.
	[/^(elysia|@elysiajs)(\/|$)/, /^core\/http\/app\.ts$/],
	[/^exact-mirror|^@sinclair\/typebox\//, /^core\/lib\/schema-compiler\.ts$/],
	// Only this module uses the MCP library. The module is loaded when the first MCP message arrives.
	[/^@modelcontextprotocol\//, /^features\/mcp\/protocol\.ts$/],
	// The drivers of the database engines: other modules use an engine only through the interface of the store.
	[
		/^bun:sqlite$|^drizzle-orm\/(bun-sqlite|sqlite-core)/,
		/^core\/store\/|^features\/(postgres\/|[\w-]+\/tables\.ts$)/,
	],
	// Uses of the SQLite engine: `cli/features.ts` lists the engines, and the command `copy` opens both.
	[/^core\/store\/sqlite\//, /^core\/store\/sqlite\/|^cli\/features\.ts$|^features\/postgres\/copy/],
	// SQL is in the store and in the queries of a resource, not in services, operations and models.
	[
		/^drizzle-orm/,
		/^core\/store\/|^features\/postgres\/|\/(queries|tables)\.ts$|\/(events\/publish|presence\/status-sql|nonces|erasures)\.ts$/,
	],
	// Only these modules may import Node's modules for files and the network.
	[
		/^node:fs|^node:net/,
		/^(client|cli|core\/(config|store|server|commands)|features\/(metrics|postgres|testing|admin))\/|^core\/lib\/(ip-address|read-text|write-all)\.ts$/,
	],
];

/** Matches uses of the environment, arguments and signals of the process, which only programs may use. */
const programOnly = /\b(process\.(env|argv|on|once|exit|exitCode)|Bun\.(env|argv))\b/;

interface Import {
	readonly from: string;
	/** A path in src/, or the name of a package. */
	readonly to: string;
	readonly typeOnly: boolean;
}

const src = join(import.meta.dir, "../src");
const files = readdirSync(src, { recursive: true, withFileTypes: true })
	// Data files, the script of the web pages and the Python module are omitted, because they import no file.
	.filter((entry) => entry.isFile() && !/\.(json|css|js|py|svg|ico|png)$/.test(entry.name))
	.map((entry) => join(entry.parentPath, entry.name).slice(src.length + 1));
const sources = new Map(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));
const imports = files.flatMap((file) => importsOf(file, sources.get(file)));

function importsOf(from: string, source = ""): Import[] {
	const matches = source.matchAll(
		/^(?:import|export)\s(\s*type\s)?[^"';=]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm,
	);
	return [...matches].map(([, type, named, bare, dynamic]) => {
		const path = named ?? bare ?? dynamic ?? "";
		const to = path.startsWith(".") ? normalize(join(dirname(from), path)) : path;
		return { from, to, typeOnly: type !== undefined };
	});
}

/** Returns the folder that decides what a file may import, such as `core/http`, `features/mcp` or `cli`. */
function partOf(file: string): string {
	return /^(core|features)\/[\w-]+|^[\w-]+(?=\/)/.exec(file)?.[0] ?? "";
}

/** Returns why an import is forbidden, or null. */
function violation({ from, to }: Import): string | null {
	const isReserved = reserved.some(([what, files]) => what.test(to) && !files.test(from));
	if (isReserved) return `${partOf(from)} must not import ${to}`;
	if (files.includes(`${to}.ts`)) return "no extension";
	// Packages, and files outside src/ that the build includes, may be imported everywhere.
	if (!/\.tsx?$/.test(to) || to.startsWith("..")) return null;
	const [own, other] = [partOf(from), partOf(to)];
	if (own === other || other === "core/lib" || other === "content" || other === "texts") return null;
	if (own === "client" || own === "content") return `${own} stands alone`;
	if (own.startsWith("core/")) {
		const [lower, upper] = [other, own].map((part) => coreLayers.indexOf(part.slice("core/".length)));
		return other.startsWith("core/") && (lower ?? -1) < (upper ?? -1) ? null : "upward";
	}
	if (other.startsWith("core/") || shared.test(to)) return null;
	if (!own.startsWith("features/")) {
		const isAllowed = from === "cli/features.ts" || !other.startsWith("features/");
		return isAllowed ? null : "outside the list of features";
	}
	const pair = `${own} → ${other}`.replaceAll("features/", "");
	return pair in featureImports ? null : "not in the table of features that import another one";
}

/**
 * Returns the files in import cycles, and the files that import these. Finds them by elimination: removes the
 * files that import no remaining file, until every remaining file imports another one.
 */
function cycleOf(imports: readonly Import[]): string[] {
	const remaining = new Set(imports.map(({ from }) => from));
	const isFree = (file: string) => !imports.some(({ from, to }) => from === file && remaining.has(to));
	for (let free = [...remaining].filter(isFree); free.length > 0; ) {
		for (const file of free) remaining.delete(file);
		free = [...remaining].filter(isFree);
	}
	return [...remaining];
}

test("src/core imports only itself and src/content, and features import each other only as featureImports allows", () => {
	expect(files.length).toBeGreaterThan(300);
	const violations = imports.flatMap((item) => {
		const reason = violation(item);
		return reason === null ? [] : [`${item.from} → ${item.to}: ${reason}`];
	});
	expect(violations).toEqual([]);
});

test("in test/core and test/support, only support/features.ts imports files from test/features", () => {
	const folders = ["core", "support"].map((name) => join(import.meta.dir, name));
	const users = folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((file) => file.endsWith(".ts"))
			.filter((file) => /from "(\.\.\/)+features\//.test(readFileSync(join(folder, file), "utf8"))),
	);
	expect(users).toEqual(["features.ts"]);
});

test("only core/lib/schema-compiler.ts uses the parts of TypeBox that version 1.0 no longer has", () => {
	const lacking = /import [^;]*\b(\w*Registry|Kind|Hint|TypeGuard|KindGuard)\b[^;]*from "@sinclair\/typebox"/;
	const users = files.filter((file) => lacking.test(sources.get(file) ?? ""));
	expect(users).toEqual(["core/lib/schema-compiler.ts"]);
});

test("no imports form a cycle", () => {
	expect(cycleOf(imports)).toEqual([]);
});

test("the id of each operation occurs only in the file that defines the operation", () => {
	expect(operations.length).toBeGreaterThan(40);
	for (const { id } of operations) {
		const named = files.filter((file) => sources.get(file)?.includes(`"${id}"`));
		expect(named, id).toHaveLength(1);
		expect(named[0], id).toEndWith("/operations.ts");
	}
});

test("rate limits with the same name have the same values", () => {
	const limits = operations.flatMap(({ limit, limitOfAdditions }) => [limit ?? [], limitOfAdditions ?? []]);
	for (const [name, same] of Map.groupBy(limits.flat(), (limit) => limit.name)) {
		expect([...new Set(same.map((limit) => JSON.stringify(limit)))], name).toHaveLength(1);
	}
});

test("only core/resort/operations.ts imports the operations of a resource", () => {
	const lists = files.filter((file) => /^core\/resort\/.*\/operations\.ts$/.test(file));
	expect(lists.length).toBeGreaterThan(8);
	for (const list of lists) {
		const users = imports.filter(({ to }) => to === list).map(({ from }) => from);
		expect(users, list).toEqual(["core/resort/operations.ts"]);
	}
});

test("only programs and their commands use the environment, arguments and signals of the process", () => {
	const readers = files.filter(
		(file) =>
			!/^(cli|main|client\.ts|core\/commands|.*-command\.ts|features\/admin\/commands|.*\/start-resort\.ts)/.test(
				file,
			) && programOnly.test(sources.get(file) ?? ""),
	);
	expect(readers).toEqual([]);
});

test("the MCP library is imported dynamically, when the first message arrives", () => {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	const kinds = files.flatMap((from) =>
		transpiler
			.scanImports(sources.get(from) ?? "")
			.filter(({ path }) => path.endsWith("/protocol.ts"))
			.map(({ kind }) => kind),
	);
	expect(kinds).toEqual(["dynamic-import"]);
});

/** The names of the generator functions. A call of a generator function does nothing without `yield*`. */
const generators = [...sources.values()].flatMap((source) =>
	[...source.matchAll(/function\* (\w+)/g)].map(([, name = ""]) => name),
);
const lazyCalls = [...generators, "publish", "publishInternal", "lock"].join("|");

/** Matches the text before the name of a generator function that is run, returned or declared there. */
const used = /(yield\*|=>|\breturn|\bfunction\*?|\*)\s+$|[#*]$/;

/** Returns the calls of generator functions and the queries that the source neither runs nor returns. */
function unusedCalls(source: string): string[] {
	const calls = new RegExp(
		`(?:\\b\\w+\\.)?\\b(?:${lazyCalls})\\(|(?:\\b\\w+\\.)*\\b\\w+\\((?:\\w+\\.)?store\\)\\.(?:get|all|run)\\(`,
		"g",
	);
	return [...source.matchAll(calls)].flatMap(({ index, 0: call }) =>
		used.test(source.slice(0, index)) ? [] : [call],
	);
}

test("every task or query that a function creates is run or returned", () => {
	// The database engines are left out: they create no tasks and queries, they only run those of the others.
	const unused = [...sources].flatMap(([file, source]) =>
		/^(core\/(resort|calls)|features\/(?!postgres))\//.test(file)
			? unusedCalls(source).map((call) => `${file}: write yield* before ${call}…)`)
			: [],
	);
	expect(unused).toEqual([]);
});

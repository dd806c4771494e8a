/** Checks the layers of src/ (docs/architecture.md). Each file must belong to exactly one layer. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { operations } from "../src/resort/operations.ts";

const inFolder = (...folders: string[]) => new RegExp(`^(${folders.join("|")})/([\\w-]+/)*[\\w-]+\\.ts$`);

/** The layers from the lowest to the highest. A file imports only from its own layer and lower ones. */
const layers: readonly (readonly [layer: string, files: RegExp])[] = [
	["base", new RegExp(`${inFolder("lib", "content").source}|^texts\\.d\\.ts$`)],
	// The client runs on other machines and is published alone: it imports only the catalogue generated for it.
	["client", inFolder("command-line-client", "testkit/testing-module(?!/start-resort)")],
	["store", inFolder("store")],
	["config", inFolder("config")],
	["resort", inFolder("resort", "testkit(?!/testing-module)", "webhooks")],
	["call", inFolder("admin", "pipeline", "auth")],
	["guide", inFolder("guide")],
	["transport", inFolder("http", "mcp", "web")],
	["server", inFolder("server")],
	["program", /^(cli\/[\w-]+|main|client|.*\/start-resort)\.ts$/],
];

/** Modules that only the named files may import, types included. */
const reserved: readonly (readonly [imports: RegExp, files: RegExp])[] = [
	// The web framework belongs to the HTTP transport.
	[/^(elysia|@elysiajs\/.*)$/, /^http\//],
	// The MCP library is loaded with the first message.
	[/^@modelcontextprotocol\//, /^mcp\/protocol\.ts$/],
	// An engine is hidden behind the store's interface and does not import another engine.
	[/^bun:sqlite$|^drizzle-orm\/(bun-sqlite|sqlite-core)/, /^store\//],
	[/^store\/sqlite\//, /^store\/(sqlite\/|engines\.ts$)/],
	[/^store\/postgres\//, /^store\/(postgres\/|engines\.ts$)/],
	// SQL is in the store and in the queries of a resource, not in services, operations and models.
	[
		/^drizzle-orm/,
		/^store\/|\/queries\.ts$|^resort\/(events\/publish|presence\/status-sql)\.ts$|^auth\/identity-provider\/nonces\.ts$|^admin\/erasures\.ts$/,
	],
	// Only commands use the client.
	[/^command-line-client\//, /^(command-line-client|cli)\//],
	// Pure helpers use neither files nor the network.
	[
		/^node:fs|^node:net/,
		/^(command-line-client|config|store|server|cli|testkit)\/|^lib\/(ip-address|read-text)\.ts$/,
	],
];

/** The environment, arguments and signals of the process, which only the top layer uses. */
const programOnly = /\b(process\.(env|argv|on|once|exit|exitCode)|Bun\.(env|argv))\b/;

interface Import {
	readonly from: string;
	/** A path in src/, or the name of a package. */
	readonly to: string;
	readonly typeOnly: boolean;
}

const src = join(import.meta.dir, "../src");
const files = readdirSync(src, { recursive: true, withFileTypes: true })
	// Data, the script of the web pages and the Python module import no file.
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

function layerOf(file: string): number {
	return layers.findIndex(([, pattern]) => pattern.test(file));
}

function layerName(file: string): string {
	return layers[layerOf(file)]?.[0] ?? "none";
}

/** Returns why an import is forbidden, or null. */
function violation({ from, to }: Import): string | null {
	const isReserved = reserved.some(([what, files]) => what.test(to) && !files.test(from));
	if (isReserved) return `${layerName(from)} must not import ${to}`;
	if (files.includes(`${to}.ts`)) return "no extension";
	// Packages, and files outside src/ that the build includes.
	if (!/\.tsx?$/.test(to) || to.startsWith("..")) return null;
	return layerOf(to) > layerOf(from) ? "upward" : null;
}

/**
 * Returns the files of import cycles and the files that import them: removes files without remaining imports.
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

test("every file belongs to one layer", () => {
	expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
	const inTwoLayers = files.filter((file) => layers.filter(([, pattern]) => pattern.test(file)).length > 1);
	expect(inTwoLayers).toEqual([]);
	expect(files.length).toBeGreaterThan(30);
});

test("files import only from their own layer and lower ones", () => {
	const violations = imports.flatMap((item) => {
		const reason = violation(item);
		return reason === null ? [] : [`${item.from} → ${item.to}: ${reason}`];
	});
	expect(violations).toEqual([]);
});

test("there is no import cycle", () => {
	expect(cycleOf(imports)).toEqual([]);
});

test("an operation's id occurs in one file", () => {
	expect(operations.length).toBeGreaterThan(40);
	for (const { id } of operations) {
		const named = files.filter((file) => sources.get(file)?.includes(`"${id}"`));
		expect(named, id).toHaveLength(1);
		expect(named[0], id).toEndWith("/operations.ts");
	}
});

test("only the list of operations imports the operations of a resource", () => {
	const lists = files.filter((file) => /^(resort\/.*|webhooks)\/operations\.ts$/.test(file));
	expect(lists.length).toBeGreaterThan(8);
	for (const list of lists) {
		const users = imports.filter(({ to }) => to === list).map(({ from }) => from);
		expect(users, list).toEqual(["resort/operations.ts"]);
	}
});

/** Returns a source without comments and strings. */
function codeOf(source: string): string {
	return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g, "");
}

const engineNames = /sqlite|postgres/i;

test("only the store names an engine", () => {
	const others = [...sources].filter(([file]) => !file.startsWith("store/"));
	const naming = others.filter(([, source]) => engineNames.test(codeOf(source)));
	expect(naming.map(([file]) => file)).toEqual([]);
});

test("only the program reads the environment, arguments and signals", () => {
	const readers = files.filter(
		(file) => layerName(file) !== "program" && programOnly.test(sources.get(file) ?? ""),
	);
	expect(readers).toEqual([]);
});

test("the MCP library is loaded with the first message", () => {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	const kinds = files.flatMap((from) =>
		transpiler
			.scanImports(sources.get(from) ?? "")
			.filter(({ path }) => path.endsWith("/protocol.ts"))
			.map(({ kind }) => kind),
	);
	expect(kinds).toEqual(["dynamic-import"]);
});

/** Generator functions: a call without `yield*` does nothing. */
const generators = [...sources.values()].flatMap((source) =>
	[...source.matchAll(/function\* (\w+)/g)].map(([, name = ""]) => name),
);
const lazyCalls = [...generators, "publish", "publishInternal", "lock"].join("|");

/**
 * What may precede a call of a generator function: the result is run or returned, or this is the declaration.
 */
const used = /(yield\*|=>|\breturn|\bfunction\*?|\*)\s+$|[#*]$/;

/** Returns the calls of generator functions and queries whose result is never run. */
function unusedCalls(source: string): string[] {
	const calls = new RegExp(
		`(?:\\b\\w+\\.)?\\b(?:${lazyCalls})\\(|(?:\\b\\w+\\.)*\\b\\w+\\((?:\\w+\\.)?store\\)\\.(?:get|all|run)\\(`,
		"g",
	);
	return [...source.matchAll(calls)].flatMap(({ index, 0: call }) =>
		used.test(source.slice(0, index)) ? [] : [call],
	);
}

test("every task and query is run", () => {
	const folders = /^(admin|auth|pipeline|resort|testkit|webhooks)\//;
	const unused = [...sources].flatMap(([file, source]) =>
		folders.test(file) ? unusedCalls(source).map((call) => `${file}: ${call}`) : [],
	);
	expect(unused).toEqual([]);
});

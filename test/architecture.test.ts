/**
 * Holds the floors of the house (docs/architecture.md): reads the imports of every file in src/. A file that fits
 * nowhere fails the test.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { operations } from "../src/resort/operations.ts";

const inRoom = (...rooms: string[]) =>
	new RegExp(`^(${rooms.join("|")})/([\\w-]+/)*[\\w-]+\\.ts$`);

/** The floors from the lowest to the highest: a file imports from its own floor or a lower one. */
const floors: readonly (readonly [floor: string, files: RegExp])[] = [
	["ground", new RegExp(`${inRoom("lib", "content").source}|^texts\\.d\\.ts$`)],
	// The client runs on other machines: it knows nothing of the resort but the catalogue that is printed for it.
	["client", inRoom("client", "testing")],
	["store", inRoom("store")],
	["config", inRoom("config")],
	["resort", inRoom("resort")],
	["around", inRoom("admin", "pipeline", "auth", "testkit", "webhooks")],
	["guide", inRoom("guide")],
	["door", inRoom("http", "mcp", "web")],
	["server", inRoom("server")],
	["program", /^cli\/[\w-]+\.ts$|^(main|client|testing)\.ts$/],
];

/** What only some files may know: all others import nothing that matches, as types neither. */
const reserved: readonly (readonly [imports: RegExp, files: RegExp])[] = [
	// The framework is one door's.
	[/^(elysia|@elysiajs\/.*)$/, /^http\//],
	// So is the library of the protocol, which is loaded with the first message.
	[/^@modelcontextprotocol\//, /^mcp\/protocol\.ts$/],
	// An engine is behind the port, and knows nothing of another one.
	[/^bun:sqlite$|^drizzle-orm\/(bun-sqlite|sqlite-core)/, /^store\//],
	[/^store\/sqlite\//, /^store\/(sqlite\/|engines\.ts$)/],
	[/^store\/postgres\//, /^store\/(postgres\/|engines\.ts$)/],
	// Questions are asked by name: rules, operations and models know none of their SQL.
	[
		/^drizzle-orm/,
		/^store\/|\/queries\.ts$|^resort\/(events\/publish|presence\/status-sql)\.ts$|^auth\/provider\/nonces\.ts$|^testkit\/controls\/service\.ts$|^admin\/changes\.ts$/,
	],
	// The client's code is the commands'.
	[/^client\//, /^(client|cli)\//],
	// Pure helpers reach nothing.
	[
		/^node:fs|^node:net/,
		/^(client|config|store|server|cli|testkit)\/|^lib\/read-text\.ts$|^testing\.ts$/,
	],
];

/** Which words only the program itself says: the environment, arguments and signals. */
const programOnly =
	/\b(process\.(env|argv|on|once|exit|exitCode)|Bun\.(env|argv))\b/;

interface Import {
	readonly from: string;
	/** A path in src/, or the name of a package. */
	readonly to: string;
	readonly typeOnly: boolean;
}

const src = join(import.meta.dir, "../src");
const files = readdirSync(src, { recursive: true, withFileTypes: true })
	// Data imports nothing, nor does the one script of the pages.
	.filter(
		(entry) =>
			entry.isFile() && !/\.(json|css|js|svg|png|ico)$/.test(entry.name),
	)
	.map((entry) => join(entry.parentPath, entry.name).slice(src.length + 1));
const sources = new Map(
	files.map((file) => [file, readFileSync(join(src, file), "utf8")]),
);
const imports = files.flatMap((file) => importsOf(file, sources.get(file)));

function importsOf(from: string, source = ""): Import[] {
	const found = source.matchAll(
		/^(?:import|export)\s(\s*type\s)?[^"';=]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm,
	);
	return [...found].map(([, type, named, bare, late]) => {
		const path = named ?? bare ?? late ?? "";
		const to = path.startsWith(".")
			? normalize(join(dirname(from), path))
			: path;
		return { from, to, typeOnly: type !== undefined };
	});
}

function floorOf(file: string): number {
	return floors.findIndex(([, pattern]) => pattern.test(file));
}

function floorName(file: string): string {
	return floors[floorOf(file)]?.[0] ?? "none";
}

/** Why an import may not be; null when it may. */
function fault({ from, to }: Import): string | null {
	const isReserved = reserved.some(
		([what, files]) => what.test(to) && !files.test(from),
	);
	if (isReserved) return `${floorName(from)} must not know ${to}`;
	if (files.includes(`${to}.ts`)) return "no extension";
	// Packages, and files beside src/ that are built in.
	if (!/\.tsx?$/.test(to) || to.startsWith("..")) return null;
	return floorOf(to) > floorOf(from) ? "upward" : null;
}

/** The files that are left when those are taken away, again and again, that import nothing left. */
function circle(among: readonly Import[]): string[] {
	const left = new Set(among.map(({ from }) => from));
	const isFree = (file: string) =>
		!among.some(({ from, to }) => from === file && left.has(to));
	for (let free = [...left].filter(isFree); free.length > 0; ) {
		for (const file of free) left.delete(file);
		free = [...left].filter(isFree);
	}
	return [...left];
}

test("every file has its floor", () => {
	expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
	const twice = files.filter(
		(file) => floors.filter(([, pattern]) => pattern.test(file)).length > 1,
	);
	expect(twice).toEqual([]);
	expect(files.length).toBeGreaterThan(30);
});

test("the reading of imports misses none that the compiler sees", () => {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	const missed = files.flatMap((from) => {
		const read = importsOf(from, sources.get(from)).map(({ to }) => to);
		return transpiler
			.scanImports(sources.get(from) ?? "")
			.map(({ path }) =>
				path.startsWith(".") ? normalize(join(dirname(from), path)) : path,
			)
			.filter((to) => !read.includes(to))
			.map((to) => `${from}: ${to}`);
	});
	expect(missed).toEqual([]);
	expect(imports.length).toBeGreaterThan(100);
});

test("every import leads downward, and only to where it may", () => {
	const faults = imports.flatMap((one) => {
		const why = fault(one);
		return why === null ? [] : [`${one.from} → ${one.to}: ${why}`];
	});
	expect(faults).toEqual([]);
});

test("there is no circle", () => {
	expect(circle(imports)).toEqual([]);
});

test("an operation is named in one file alone", () => {
	expect(operations.length).toBeGreaterThan(40);
	for (const { id } of operations) {
		const named = files.filter((file) =>
			sources.get(file)?.includes(`"${id}"`),
		);
		expect(named, id).toHaveLength(1);
		expect(named[0], id).toEndWith("/operations.ts");
	}
});

test("the operations of a resource are known to the list alone", () => {
	const lists = files.filter((file) =>
		/^resort\/.*\/operations\.ts$/.test(file),
	);
	expect(lists.length).toBeGreaterThan(8);
	for (const list of lists) {
		const users = imports
			.filter(({ to }) => to === list)
			.map(({ from }) => from);
		expect(users, list).toEqual(["resort/operations.ts"]);
	}
});

/** What of a source is neither a comment nor a text. */
function codeOf(source: string): string {
	return source.replaceAll(
		/\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
		"",
	);
}

const engineNames = /sqlite|postgres/i;

test("only the store names an engine", () => {
	const others = [...sources].filter(([file]) => !file.startsWith("store/"));
	const naming = others.filter(([, source]) =>
		engineNames.test(codeOf(source)),
	);
	expect(naming.map(([file]) => file)).toEqual([]);
});

test("only the program reads the environment, arguments and signals", () => {
	const readers = files.filter(
		(file) =>
			floorName(file) !== "program" &&
			programOnly.test(sources.get(file) ?? ""),
	);
	expect(readers).toEqual([]);
});

test("what answers before the application is loaded loads no large library", () => {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	const loaded = new Set(["cli/serve.ts"]);
	// Of a macro the executable holds what it gave.
	const macros = new Set(
		files.flatMap((from) =>
			[
				...(sources.get(from) ?? "").matchAll(
					/from "([^"]+)" with \{\s*type: "macro"/g,
				),
			].map(([, path = ""]) => normalize(join(dirname(from), path))),
		),
	);
	for (const from of loaded) {
		if (macros.has(from)) continue;
		for (const { kind, path } of transpiler.scanImports(
			sources.get(from) ?? "",
		)) {
			if (kind === "dynamic-import") continue;
			const isOwn = path.startsWith(".");
			loaded.add(isOwn ? normalize(join(dirname(from), path)) : path);
		}
	}
	expect([...loaded]).toContain("resort/presence/status.ts");
	const large =
		/^(elysia|@elysiajs|drizzle-orm|@sinclair\/typebox|@modelcontextprotocol)(\/|$)/;
	expect([...loaded].filter((name) => large.test(name))).toEqual([]);
});

test("the library of the protocol is loaded with its first message", () => {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	const kinds = files.flatMap((from) =>
		transpiler
			.scanImports(sources.get(from) ?? "")
			.filter(({ path }) => path.endsWith("/protocol.ts"))
			.map(({ kind }) => kind),
	);
	expect(kinds).toEqual(["dynamic-import"]);
});

/** Functions that make a rule or an answer: without `yield*` they do nothing. */
const made = [...sources.values()].flatMap((source) =>
	[...source.matchAll(/function\* (\w+)/g)].map(([, name = ""]) => name),
);
const asked = [...made, "publish", "publishInternal", "lock"].join("|");

/** What may stand before a rule: it is run there, or handed on. */
const handed = /(yield\*|=>|\breturn|\bfunction\*?|\*)\s+$|[#*]$/;

/** The rules and questions of a source that are made in vain. */
function idle(source: string): string[] {
	const calls = new RegExp(
		`(?:\\b\\w+\\.)?\\b(?:${asked})\\(|\\b\\w+\\((?:\\w+\\.)?store\\)\\.(?:get|all|run)\\(`,
		"g",
	);
	return [...source.matchAll(calls)].flatMap(({ index, 0: call }) =>
		handed.test(source.slice(0, index)) ? [] : [call],
	);
}

test("no rule is made in vain", () => {
	const rooms = /^(admin|resort|access|throwaway|answers|webhooks)\//;
	const found = [...sources].flatMap(([file, source]) =>
		rooms.test(file) ? idle(source).map((call) => `${file}: ${call}`) : [],
	);
	expect(found).toEqual([]);
});

describe("this test finds", () => {
	test("a rule and a question that are made in vain", () => {
		expect(idle("const a = getAgent(resort, id);")).toEqual(["getAgent("]);
		expect(idle("\topenStay(store).run({});")).toEqual([
			"openStay(store).run(",
		]);
		expect(idle("\tyield* getAgent(resort, id);")).toEqual([]);
	});

	test.each([
		["upward", 'import { app } from "../http/app.ts";', "lib/a.ts"],
		["upward", 'import type { A } from "../resort/a.ts";', "store/a.ts"],
		["upward", 'export * from "../cli/a.ts";', "http/app.ts"],
		["upward", 'await import("../cli/a.ts");', "store/a.ts"],
		["no extension", 'import { a } from "./rooms";', "resort/stays/model.ts"],
		["upward", 'import { a } from "../http/a.ts";', "guide/a.ts"],
		["upward", 'import { a } from "../../auth/a.ts";', "resort/stays/a.ts"],
		["store must", 'import type { A } from "elysia";', "store/a.ts"],
		[
			"resort must",
			'import { a } from "drizzle-orm";',
			"resort/stays/rules.ts",
		],
		["door must", 'import { a } from "../store/sqlite/a.ts";', "http/a.ts"],
		["ground must", 'import "node:fs";', "lib/a.ts"],
		["upward", 'import { a } from "../resort/a.ts";', "client/a.ts"],
		["guide must", 'import { a } from "../client/a.ts";', "guide/a.ts"],
	])("%s: %s in %s", (why, source, from) => {
		expect(importsOf(from, source).map(fault)).toEqual([
			expect.stringContaining(why),
		]);
	});

	test("a circle of three", () => {
		const link = (from: string, to: string) => ({ from, to, typeOnly: true });
		const three = [link("a", "b"), link("b", "c"), link("c", "a")];
		expect(circle([...three, link("d", "a")])).toEqual(["a", "b", "c", "d"]);
		expect(circle([...three.slice(1), link("d", "a")])).toEqual([]);
	});

	test("the name of an engine, but not in texts for people", () => {
		for (const code of ["new SqliteStore()", "(a: PostgresFailure) => a"]) {
			expect(codeOf(code)).toMatch(engineNames);
		}
		for (const text of ["// SQLite", "/** SQLite */", 'a("PostgreSQL")']) {
			expect(codeOf(text)).not.toMatch(engineNames);
		}
	});

	test("a file and a word that have no place", () => {
		for (const file of ["bar/service.ts", "a.ts", "web/a.html"]) {
			expect(floorOf(file)).toBe(-1);
		}
		expect("const a = process.env.A").toMatch(programOnly);
	});
});

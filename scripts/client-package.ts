import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTar } from "nanotar";
import { license, version } from "../package.json";

/** The name of the packed client. */
export const CLIENT_PACKAGE = "agent-resort-client.tgz";

/** The file in it, which is the command. */
export const PROGRAM = "agent-resort.mjs";

/**
 * The module in it that starts ephemeral instances for tests, for `import` and for `require`, and its types.
 */
export const TESTING = {
	module: "testing.mjs",
	common: "testing.cjs",
	types: "testing.d.ts",
	commonTypes: "testing.d.cts",
} as const;

/** Its counterpart for Python. */
export const TESTING_PYTHON = "resort_testing.py";

/** A CommonJS module has no `import.meta.url`: the bundler would insert the path of the source. */
const COMMON = [
	"--format=cjs",
	'--banner=var moduleUrl = require("node:url").pathToFileURL(__filename).href;',
	"--define",
	"import.meta.url=moduleUrl",
] as const;

/** Stands in the sources of the testing modules where the declarations that follow from schemas belong. */
const DECLARATIONS = {
	typescript: 'import type { Fixtures, OperationId, OperationName } from "./schema-types.ts";\n',
	python: "# DECLARATIONS\n",
} as const;

const root = join(import.meta.dir, "..");

/** Ends an archive: two blocks of zeros. The library leaves them out if the files fill its last record. */
const END = Buffer.alloc(1024);

/** The time that npm gives the files of packages. */
const PACKED_MS = 499_162_500_000;

/**
 * The client as a package that npm installs and `npx` runs: one file for Node 20 and later, without
 * dependencies, and beside it the module for tests. The same sources make the same bytes. It is also a Bun
 * macro, so that the executable carries it.
 * @returns the tarball, in Base64
 * @throws Error with the compiler's words
 */
export function packClient(): string {
	const manifest = {
		name: "agent-resort",
		version,
		description: "The command-line client of a resort for AI agents",
		license,
		type: "module",
		bin: { "agent-resort": PROGRAM },
		exports: {
			"./testing": {
				import: { types: `./${TESTING.types}`, default: `./${TESTING.module}` },
				require: { types: `./${TESTING.commonTypes}`, default: `./${TESTING.common}` },
			},
		},
		engines: { node: ">=20" },
	};
	const files: [string, Buffer][] = [
		["package.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
		[PROGRAM, bundleClient()],
		...bundleTesting(),
	];
	const archive = createTar(
		files.map(([name, data]) => ({
			name: `package/${name}`,
			data,
			...(name === PROGRAM && { attrs: { mode: "755" } }),
		})),
		{ attrs: { mode: "644", uid: 0, gid: 0, mtime: PACKED_MS } },
	);
	const packed = Bun.gzipSync(Buffer.concat([Buffer.from(archive), END]), { level: 9 });
	// The system that packed it: unknown (RFC 1952, 2.3.1).
	packed[9] = 255;
	return Buffer.from(packed).toString("base64");
}

/** The program as one file, in ASCII: a resort removes invisible characters from what it serves. */
export function bundleClient(): Buffer {
	const bundled = bundle("--minify", "src/client.ts").toString();
	const program = bundled.replace(
		/[^\0-\x7f]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return Buffer.from(`#!/usr/bin/env node\n${program}`);
}

/** The files of {@link TESTING}, with their names. None if the feature was deleted. */
export function bundleTesting(): [name: string, content: Buffer][] {
	const source = "src/features/testing/testing-module/start-resort.ts";
	if (!existsSync(join(root, source))) return [];
	const types = Buffer.from(
		`${declare("typescript", "src/features/testing/testing-module/testing-types.ts")}
/** Starts an ephemeral resort; see {@link StartResort}. */
export declare const startResort: StartResort;

/** Connects to a resort with test controls; see {@link Connect}. */
export declare const connect: Connect;
`,
	);
	return [
		[TESTING.module, bundle(source)],
		[TESTING.common, bundle(...COMMON, source)],
		[TESTING.types, types],
		[TESTING.commonTypes, types],
	];
}

/** The text of {@link TESTING_PYTHON}. Also a Bun macro. */
export function makeTestingPython(): string {
	return declare("python", `src/features/testing/testing-module/${TESTING_PYTHON}`);
}

/** Returns a file with the declarations that follow from schemas. */
function declare(language: keyof typeof DECLARATIONS, file: string): string {
	const text = readFileSync(join(root, file), "utf8");
	const place = DECLARATIONS[language];
	if (!text.includes(place)) throw new Error(`${file} lacks ${place}`);
	const declarations = JSON.parse(run(["scripts/testing-types.ts"]).toString())[language];
	return text.replace(place, () => declarations);
}

/** Not by `Bun.build`, which a macro cannot wait for. */
function bundle(...args: readonly string[]): Buffer {
	return run(["build", "--target=node", ...args]);
}

function run(args: readonly string[]): Buffer {
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd: root });
	if (!success) throw new Error(stderr.toString());
	return stdout;
}

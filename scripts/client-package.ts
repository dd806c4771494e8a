import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTar } from "nanotar";
import { license, version } from "../package.json";

/** The name of the packed client. */
export const CLIENT_PACKAGE = "agent-resort-client.tgz";

/** The file in the package that contains the command `agent-resort`. */
export const PROGRAM = "agent-resort.mjs";

/**
 * The files in the package with the module that starts ephemeral instances for tests: for `import`, for
 * `require`, and the types of both.
 */
export const TESTING = {
	module: "testing.mjs",
	common: "testing.cjs",
	types: "testing.d.ts",
	commonTypes: "testing.d.cts",
} as const;

/** The file with the same module for Python. It is not in the package. */
export const TESTING_PYTHON = "resort_testing.py";

/**
 * The options for a bundle in CommonJS. A CommonJS module has no `import.meta.url`, and without these
 * options, the bundler would insert the path of the source file.
 */
const COMMON = [
	"--format=cjs",
	'--banner=var moduleUrl = require("node:url").pathToFileURL(__filename).href;',
	"--define",
	"import.meta.url=moduleUrl",
] as const;

/** The lines in the sources of the testing modules that declarations generated from schemas replace. */
const DECLARATIONS = {
	typescript: /^import type \{[^}]*\} from "\.\/schema-types\.ts";\n/m,
	python: /^# DECLARATIONS\n/m,
} as const;

const root = join(import.meta.dir, "..");

/** The end of an archive: two blocks of zeros. The library omits them if the files fill the last record. */
const END = Buffer.alloc(1024);

/** The modification time that npm gives to all files in packages. */
const PACKED_MS = 499_162_500_000;

/**
 * Packs the client for npm and `npx`: the program as one file for Node 20 and later, without dependencies,
 * and the module for tests. The same sources result in the same bytes. This function is also a Bun macro, so
 * that the executable contains the package.
 * @returns the tarball in Base64
 * @throws Error with the output of the compiler
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
	// Sets the operating system in the header to "unknown" (RFC 1952, 2.3.1).
	packed[9] = 255;
	return Buffer.from(packed).toString("base64");
}

/**
 * Bundles the program as one ASCII file, because a resort removes invisible characters from what it serves.
 */
export function bundleClient(): Buffer {
	const bundled = bundle("--minify", "src/client.ts").toString();
	const program = bundled.replace(
		/[^\0-\x7f]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return Buffer.from(`#!/usr/bin/env node\n${program}`);
}

/** Bundles the files of {@link TESTING}. Returns none if the feature `testing` was deleted. */
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

/** Returns the content of {@link TESTING_PYTHON}. This function is also a Bun macro. */
export function makeTestingPython(): string {
	return declare("python", `src/features/testing/testing-module/${TESTING_PYTHON}`);
}

/** Returns the content of a file in which the generated declarations replace the {@link DECLARATIONS}. */
function declare(language: keyof typeof DECLARATIONS, file: string): string {
	const text = readFileSync(join(root, file), "utf8");
	const place = DECLARATIONS[language];
	if (!place.test(text)) throw new Error(`${file} lacks ${place}`);
	const declarations = JSON.parse(run(["scripts/testing-types.ts"]).toString())[language];
	return text.replace(place, () => declarations);
}

/** Bundles in a process of its own, because a macro cannot wait for `Bun.build`. */
function bundle(...args: readonly string[]): Buffer {
	return run(["build", "--target=node", ...args]);
}

function run(args: readonly string[]): Buffer {
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd: root });
	if (!success) throw new Error(stderr.toString());
	return stdout;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTar } from "nanotar";
import { license, version } from "../package.json";

/** The name of the packed client. */
export const CLIENT_PACKAGE = "agent-resort-client.tgz";

/** The file in it, which is the command. */
export const PROGRAM = "agent-resort.mjs";

/** The module in it that starts ephemeral instances for tests, and its types. */
export const TESTING = {
	module: "testing.mjs",
	types: "testing.d.ts",
} as const;

const root = join(import.meta.dir, "..");

/** The time that npm gives the files of packages. */
const PACKED_MS = 499_162_500_000;

/**
 * The client as a package that npm installs and `npx` runs: one file for Node 20 and later, without dependencies, and
 * beside it the module for tests.
 * The same sources make the same bytes. It is also a Bun macro, so that the executable carries it.
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
				types: `./${TESTING.types}`,
				default: `./${TESTING.module}`,
			},
		},
		engines: { node: ">=20" },
	};
	const testing = bundleTesting();
	const files = [
		["package.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
		[PROGRAM, bundleClient()],
		[TESTING.module, testing.module],
		[TESTING.types, testing.types],
	] as const;
	const archive = createTar(
		files.map(([name, data]) => ({
			name: `package/${name}`,
			data,
			...(name === PROGRAM && { attrs: { mode: "755" } }),
		})),
		{ attrs: { mode: "644", uid: 0, gid: 0, mtime: PACKED_MS } },
	);
	const packed = Bun.gzipSync(Buffer.from(archive), { level: 9 });
	// The system that packed it: unknown (RFC 1952, 2.3.1).
	packed[9] = 255;
	return Buffer.from(packed).toString("base64");
}

/** The program as one file. */
export function bundleClient(): Buffer {
	const bundled = bundle("--minify", "src/client.ts");
	return Buffer.concat([Buffer.from("#!/usr/bin/env node\n"), bundled]);
}

/** The module for tests as one file, and what TypeScript knows of it. */
export function bundleTesting(): { module: Buffer; types: Buffer } {
	const types = readFileSync(
		join(root, "src/testkit/testing-module/testing-types.ts"),
		"utf8",
	);
	return {
		module: bundle("src/testkit/testing-module/start-resort.ts"),
		types: Buffer.from(
			`${types}\n/** Starts an ephemeral resort; see {@link StartResort}. */\nexport declare const startResort: StartResort;\n`,
		),
	};
}

/** Not by `Bun.build`, which a macro cannot wait for. */
function bundle(...args: readonly string[]): Buffer {
	const { success, stdout, stderr } = Bun.spawnSync(
		[process.execPath, "build", "--target=node", ...args],
		{ cwd: root },
	);
	if (!success) throw new Error(stderr.toString());
	return stdout;
}

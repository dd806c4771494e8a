/**
 * Builds all files of a release into `dist/release/`: an executable for each platform, the client, the SBOM
 * of the executables, and the checksums. If the build for a platform fails, the other files are built
 * nevertheless, the reason is printed at the end, and the exit code is 1.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json";
import { checksums } from "./checksums.ts";
import { CLIENT_PACKAGE, packClient } from "./client-package.ts";
import { compile, root } from "./compile.ts";
import { createSbom } from "./sbom.ts";

const targets = [
	"linux-x64",
	"linux-x64-baseline",
	"linux-arm64",
	"linux-x64-musl",
	"linux-arm64-musl",
	"darwin-x64",
	"darwin-arm64",
	"windows-x64",
];

const folder = join(root, "dist/release");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const missing: string[] = [];
for (const target of targets) {
	const name = `resort-${version}-${target}`;
	try {
		await compile(join("dist/release", name), `bun-${target}`);
		process.stdout.write(`${name}\n`);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		missing.push(`${name} is missing: ${reason}\n`);
	}
}

await Bun.write(join(folder, CLIENT_PACKAGE), Buffer.from(packClient(), "base64"));
const lock: unknown = await Bun.file(join(root, "package-lock.json")).json();
await Bun.write(join(folder, `resort-${version}.cdx.json`), createSbom(lock));
await Bun.write(join(folder, "SHA256SUMS"), await checksums(folder, readdirSync(folder)));
for (const line of missing) process.stderr.write(line);
process.exitCode = missing.length === 0 ? 0 : 1;

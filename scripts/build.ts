/**
 * Builds `dist/resort`, starts it once in an empty folder, and fails if it does not answer. Also writes the
 * client that it serves as a package.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	bundleClient,
	bundleTesting,
	CLIENT_PACKAGE,
	makeTestingPython,
	PROGRAM,
	packClient,
	TESTING_PYTHON,
} from "./client-package.ts";
import { compile, root } from "./compile.ts";

const executable = join(root, "dist/resort");

await Bun.write(join(root, "dist", PROGRAM), bundleClient());
await Bun.write(join(root, "dist", CLIENT_PACKAGE), Buffer.from(packClient(), "base64"));
const testing = bundleTesting();
for (const [name, content] of testing) {
	await Bun.write(join(root, "dist", name), content);
}
if (testing.length > 0) await Bun.write(join(root, "dist", TESTING_PYTHON), makeTestingPython());
await compile("dist/resort");

const folder = mkdtempSync(join(tmpdir(), "resort-build-"));
const resort = Bun.spawn([executable, "serve", "--ephemeral"], {
	cwd: folder,
	env: {},
	stdout: "pipe",
	stderr: "pipe",
});
try {
	const { url } = await readyLine(resort.stdout);
	const response = await fetch(`${url}/api/health`, { proxy: false });
	if (!response.ok) throw new Error(`health: ${response.status}`);
	process.stdout.write(`built ${executable} (${(Bun.file(executable).size / 2 ** 20).toFixed(0)} MiB)\n`);
} finally {
	resort.kill();
	await resort.exited;
	rmSync(folder, { recursive: true });
}

async function readyLine(stdout: ReadableStream<Uint8Array>): Promise<{ url: string }> {
	for await (const chunk of stdout) {
		return JSON.parse(new TextDecoder().decode(chunk));
	}
	const stderr = await new Response(resort.stderr).text();
	throw new Error(`the executable ended before it was ready: ${stderr}`);
}

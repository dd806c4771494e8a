/**
 * Builds `dist/resort`, starts it once in an empty folder, and fails if it does not answer. Also writes the
 * client and the testing modules that the executable serves.
 */
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
import { requireHealthy } from "./healthy.ts";

const executable = join(root, "dist/resort");

await Bun.write(join(root, "dist", PROGRAM), bundleClient());
await Bun.write(join(root, "dist", CLIENT_PACKAGE), Buffer.from(packClient(), "base64"));
const testing = bundleTesting();
for (const [name, content] of testing) {
	await Bun.write(join(root, "dist", name), content);
}
if (testing.length > 0) await Bun.write(join(root, "dist", TESTING_PYTHON), makeTestingPython());
await compile("dist/resort");

await requireHealthy([executable]);
process.stdout.write(`built ${executable} (${(Bun.file(executable).size / 2 ** 20).toFixed(0)} MiB)\n`);

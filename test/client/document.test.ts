import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, readDocument } from "../support/documents.ts";
import { executable, serve, temporaryFolder } from "../support/executable.ts";
import { runTool, testWith } from "../support/tools.ts";

const EXAMPLE = "http://127.0.0.1:3000";
const [fetched = "", stay = "", dispatching = ""] = blocksOf(
	readDocument("docs/client.md"),
	"sh",
);

testWith(["bash", "npx"], "the commands of docs/client.md work", async () => {
	using folder = temporaryFolder();
	mkdirSync(join(folder.path, "bin"));
	symlinkSync(executable, join(folder.path, "bin/resort"));
	const resort = await serve(["--ephemeral"], { cwd: folder.path });
	const run = async (block: string) => {
		const env = `export HOME='${folder.path}' PATH="${folder.path}/bin:$PATH" npm_config_update_notifier=false`;
		const code = `${env}; set -e; ${block.replaceAll(EXAMPLE, resort.url)}`;
		const { exitCode, output } = await runTool("bash", ["-c", code]);
		expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
		return output;
	};
	expect(await run(fetched)).toContain("Usage: agent-resort");
	// What is told on stderr stands behind.
	const lines = (await run(stay)).match(/^\{.*$/gm) ?? [];
	const { agent, lastStay } = JSON.parse(lines.at(-1) ?? "");
	expect(lastStay.totalRelaxationPoints).toBeGreaterThan(0);
	// The last one goes on until it is ended.
	const asked = dispatching.replace(/^resort guest watch.*$/m, "");
	const ids = `ID=${agent.id} ID2=${agent.id}\n`;
	expect(await run(ids + asked)).toContain('"status":"available"');
	await resort.stop();
});

test("docs/client.md tells the exit codes", () => {
	const told = readDocument("docs/client.md").matchAll(/^\| (\d) \|/gm);
	expect([...told].map(([, code]) => Number(code))).toEqual([
		0, 1, 2, 4, 5, 6, 7, 8,
	]);
});

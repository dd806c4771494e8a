import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, readDocument } from "../support/documents.ts";
import { executable, serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { runTool, testWith } from "../support/tools.ts";

const EXAMPLE = "http://127.0.0.1:3000";
const [fetched = "", byNpx = "", forgotten = "", stay = "", login = "", dispatching = ""] = blocksOf(
	readDocument("docs/client.md"),
	"sh",
);

testWith(["bash", "npx"], "the commands in docs/client.md work as described", async () => {
	using folder = new TemporaryFolder();
	mkdirSync(join(folder.path, "bin"));
	symlinkSync(executable, join(folder.path, "bin/resort"));
	await using resort = await serve(["--ephemeral"], { cwd: folder.path });
	const run = async (block: string) => {
		const env = `export HOME='${folder.path}' PATH="${folder.path}/bin:$PATH" npm_config_update_notifier=false`;
		// Under `npm test`, the variable names the cache of the developer.
		const code = `${env} npm_config_cache='${folder.path}'; set -e; cd "$HOME"; ${block.replaceAll(EXAMPLE, resort.url)}`;
		const { exitCode, output } = await runTool("bash", ["-c", code]);
		expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
		return output;
	};
	expect(await run(fetched)).toContain("Usage: node agent-resort.mjs");
	const help = await run(byNpx);
	expect(help).toContain("Usage: agent-resort");
	expect(help).toContain("/agent-resort.mjs && node agent-resort.mjs");
	const cache = join(folder.path, "_npx");
	expect(readdirSync(cache)).not.toBeEmpty();
	await run(forgotten);
	expect(existsSync(cache)).toBe(false);
	// Selects the lines of JSON: they are from stdout. The other lines are from stderr.
	const lines = (await run(stay)).match(/^\{.*$/gm) ?? [];
	const { agent, lastStay } = JSON.parse(lines.at(-1) ?? "");
	expect(lastStay.totalRelaxationPoints).toBeGreaterThan(0);
	const { apiKey } = await Bun.file(join(folder.path, ".agent-resort.json")).json();
	await run("resort guest logout");
	expect(await run(`KEY=${apiKey}\n${login}`)).toContain(agent.id);
	// Removes `watch`, which would not end.
	const asked = dispatching.replace(/^resort guest watch.*$/m, "");
	const ids = `ID=${agent.id} ID2=${agent.id}\n`;
	expect(await run(ids + asked)).toContain('"status":"available"');
});

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeResort, runClient } from "../support/client.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { executable, serve, temporaryFolder } from "../support/executable.ts";
import { runTool, testWith } from "../support/tools.ts";

const EXAMPLE = "http://127.0.0.1:3000";
const [fetched = "", forgotten = "", stay = "", login = "", dispatching = ""] =
	blocksOf(readDocument("docs/client.md"), "sh");

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
	const help = await run(fetched);
	expect(help).toContain("Usage: agent-resort");
	expect(help).toContain("/client.tgz stands for agent-resort");
	// What is told on stderr stands behind.
	const lines = (await run(stay)).match(/^\{.*$/gm) ?? [];
	const { agent, lastStay } = JSON.parse(lines.at(-1) ?? "");
	expect(lastStay.totalRelaxationPoints).toBeGreaterThan(0);
	const { apiKey } = await Bun.file(
		join(folder.path, ".agent-resort.json"),
	).json();
	await run("resort guest logout");
	expect(await run(`KEY=${apiKey}\n${login}`)).toContain(agent.id);
	// The last one goes on until it is ended.
	const asked = dispatching.replace(/^resort guest watch.*$/m, "");
	const ids = `ID=${agent.id} ID2=${agent.id}\n`;
	expect(await run(ids + asked)).toContain('"status":"available"');
	await resort.stop();
});

testWith(
	["bash", "npx", "tar"],
	"the remedy of docs/client.md makes npx fetch a new client",
	async () => {
		using folder = temporaryFolder();
		/** A client that prints its version. */
		const clientOf = (version: string) => {
			const path = join(folder.path, version);
			mkdirSync(join(path, "package"), { recursive: true });
			const manifest = { name: "agent-resort", version, bin: "client.js" };
			const json = JSON.stringify(manifest);
			writeFileSync(join(path, "package/package.json"), json);
			const code = `#!/usr/bin/env node\nconsole.log("${version}")\n`;
			writeFileSync(join(path, "package/client.js"), code, { mode: 0o755 });
			return Bun.spawnSync(["tar", "cz", "-C", path, "package"]).stdout;
		};
		let served = clientOf("1.0.0");
		await using resort = fakeResort(() => new Response(served));
		const run = async (block: string) => {
			const env = { npm_config_update_notifier: "false" };
			const place = { home: folder.path, env };
			const { stdout } = await runClient(["bash", "-c"], [block], place);
			return stdout.trim();
		};
		const called = `npx --yes ${resort.url}/client.tgz`;
		expect(await run(called)).toBe("1.0.0");
		served = clientOf("2.0.0");
		expect(await run(called)).toBe("1.0.0");
		expect(await run(`${forgotten}\n${called}`)).toBe("2.0.0");
	},
);

test("docs/client.md tells the exit codes", () => {
	const rows = readDocument("docs/client.md").matchAll(/^\| (\d) \|/gm);
	expect([...rows].map(([, code]) => code).join("")).toBe("01245678");
});

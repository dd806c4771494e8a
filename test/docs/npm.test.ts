/**
 * Tests every command that downloads the client, with each version of npm. Such commands are in the
 * documents, in the guides and in the output of `setup`.
 */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { setup } from "../../src/client/setup-command.ts";
import { keepKey } from "../../src/content/mcp-texts.ts";
import { once } from "../../src/core/lib/once.ts";
import { documents, readDocument, root } from "../support/documents.ts";
import { executable, requireProgram, runProgram } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { missingPackages, nodes, packages, testUnless, toolPath } from "../support/tools.ts";
import { useServer } from "../support/use-resort.ts";

const resort = useServer(["--ephemeral"]);

/** Returns all texts that may contain a command that downloads the client. */
const readTexts = once(async (): Promise<string[]> => {
	const files = ["action.yml", "examples/dispatcher.test.mjs"];
	const texts = [...documents, ...files].map(readDocument);
	texts.push(JSON.stringify(keepKey(resort.url)));
	for (const path of ["/", "/api/skill", "/api/quickstart", "/llms.txt", "/openapi.yaml"]) {
		texts.push((await resort.call("GET", path, { headers: { accept: "text/html, */*" } })).text);
	}
	for (const host of setup.choices ?? []) {
		const env = { HOME: "/nowhere", RESORT_API_URL: resort.url };
		texts.push((await runProgram([executable, "guest", "setup", host], { env })).stdout);
	}
	return texts;
});

/** Converts the commands in a text to shell syntax, whether they are written in HTML or as a JSON list. */
function toShell(text: string): string {
	return text
		.replace(/<[^>]*>/g, "")
		.replaceAll("&quot;", '"')
		.replaceAll("&amp;", "&")
		.replace(/\\?["',[\]]/g, " ")
		.replace(/\bargs *:/g, "")
		.replace(/[^\S\n]+|\n(?=\s*(-|https?:))\s*/g, " ");
}

/** Returns each command that matches the pattern once, changed to download from the running resort. */
async function commandsLike(pattern: RegExp): Promise<string[]> {
	const texts = (await readTexts()).map(toShell);
	const found = texts.flatMap((text) => text.match(pattern) ?? []);
	const address = /[^\s.]\S*(?=\/(client\.tgz|agent-resort\.mjs))/;
	return [...new Set(found.map((command) => command.replace(address, resort.url)))];
}

/** Creates a project with one version of `npm`, `npx` and `node`. `run` runs a command in the project's folder. */
function newProject(node: string, npm?: string) {
	const folder = new TemporaryFolder();
	const bin = folder.file("bin");
	mkdirSync(bin);
	symlinkSync(toolPath(node) ?? node, join(bin, "node"));
	symlinkSync(join(root, "dist"), folder.file("dist"));
	folder.write('{"private":true}', "package.json");
	for (const name of npm === undefined ? [] : ["npm", "npx"]) {
		const path = `${packages}/${npm}/bin/${name}-cli.js`;
		chmodSync(folder.write(`#!/bin/sh\nexec node ${path} "$@"\n`, `bin/${name}`), 0o755);
	}
	const env = {
		HOME: folder.path,
		PATH: `${bin}:/usr/bin:/bin`,
		npm_config_audit: "false",
		npm_config_fund: "false",
		npm_config_prefix: folder.file("global"),
		npm_config_update_notifier: "false",
	};
	return {
		folder,
		run(command: string): Promise<string> {
			return requireProgram(["sh", "-c", command], { cwd: folder.path, env });
		},
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

/**
 * Runs a command with a version of npm, and then the program or the module that the command has downloaded.
 */
async function follow(command: string, node: string, npm: string) {
	using project = newProject(node, npm);
	if (command.startsWith("npx")) {
		expect(await project.run(`${command} --version`)).toBe(`${version}\n`);
		return;
	}
	await project.run(command);
	const program = "global/bin/agent-resort --version";
	const module = "node -e 'require(\"agent-resort/testing\")'";
	await project.run(command.includes("--global") ? program : module);
	// Without `--save-dev`, npm must not store the client's URL in a lock file: the resort may be temporary.
	const isLocked = existsSync(project.folder.file("package-lock.json"));
	expect(isLocked).toBe(command.includes("--save-dev"));
}

describe("the documented commands that download the client", () => {
	test.each(nodes)("run the file `agent-resort.mjs` with %s", async (node) => {
		const commands = await commandsLike(/curl -\S+ \S+\/agent-resort\.mjs && node agent-resort\.mjs/g);
		expect(commands).toEqual([`curl -fsSO ${resort.url}/agent-resort.mjs && node agent-resort.mjs`]);
		for (const command of commands) {
			using project = newProject(node);
			expect(await project.run(`${command} --version`)).toBe(`${version}\n`);
		}
	});

	// npm 12 requires Node 24 (or a late Node 22), so it runs on the first of `nodes` that is at least 24.
	const newest = nodes.find((node) => /^v2[4-9]/.test(`${Bun.spawnSync([node, "--version"]).stdout}`));
	for (const npm of ["npm10", "npm11", "npm12"]) {
		testUnless(missingPackages, `run or install the package with ${npm}`, async () => {
			const commands = await commandsLike(/\b(npx|npm install)( -\S+)* \S*client\.tgz/g);
			expect(commands).toHaveLength(4);
			const node = (npm === "npm12" && newest) || "node";
			await Promise.all(commands.map((command) => follow(command, node, npm)));
		});
	}
});

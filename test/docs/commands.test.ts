import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { loadExamples } from "../../src/cli/example-command.ts";
import { blocksOf, commandsOf, documents, partOf, readDocument, root } from "../support/documents.ts";
import { executable, requireProgram, serve } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/folder.ts";

const folder = useTemporaryFolder();
const bin = folder.file("bin");
mkdirSync(bin);
symlinkSync(executable, join(bin, "resort"));
for (const name of ["examples", "dist"]) symlinkSync(join(root, name), folder.file(name));

/** Makes npm work offline. This suffices, because the documents install the client from a file. */
const quietNpm = {
	HOME: folder.path,
	npm_config_audit: "false",
	npm_config_offline: "true",
	npm_config_update_notifier: "false",
};

/**
 * Returns the folder and the environment in which commands run. `resort` runs the built executable there.
 */
const placeOf = (env: Record<string, string> = {}) => ({
	cwd: folder.path,
	env: { PATH: `${bin}:${process.env.PATH}`, ...quietNpm, ...env },
});

/** Runs a command from a document, and returns its output. The command must succeed. */
const run = (command: readonly string[], env?: Record<string, string>) =>
	requireProgram(command, placeOf(env));

describe("README.md", () => {
	test("shows the same commands for installing and testing as .ci/run", () => {
		const commands = ["Start", "Contributing"].flatMap((part) => commandsOf(partOf("README.md", part)));
		expect(commands).toEqual(["npm ci && npm start", "npm ci && npm test"]);
		const ci = readFileSync(join(root, ".ci/run"), "utf8");
		expect(ci).toMatch(/^if \{ npm ci && \w+; \}/m);
		expect(ci).toMatch(/^\tnpm test /m);
	});

	test("shows calls for a stay and for dispatchers, and all of them succeed", async () => {
		await using resort = await serve(["--ephemeral"], { cwd: folder.path });
		const env: Record<string, string> = {};
		const parts = ["A stay in five calls", "For dispatchers"];
		const commands = parts.flatMap((part) => commandsOf(partOf("README.md", part)));
		let registered = { agent: { id: "" }, apiKey: "" };
		let calls = 0;
		for (const command of commands) {
			if (command === "export KEY=ar_...") env.KEY = registered.apiKey;
			else if (command === "export ID=...") env.ID = registered.agent.id;
			else {
				const here = command.replace("localhost:3000", resort.url);
				const answer = JSON.parse(await run(["sh", "-c", here], env));
				expect(answer.ok).toBe(true);
				if (calls++ === 0) registered = answer;
			}
		}
		expect(calls).toBe(8);
	});
});

describe("docs/ci.md", () => {
	const [ofExample, ...others] = commandsOf(readDocument("docs/ci.md"));

	// This test only compares the command. test/deploy/ci.test.ts runs it.
	test("shows first the same command as the comment in examples/dispatcher_test.py", () => {
		expect(readDocument("examples/dispatcher_test.py")).toContain(`\ndist/${ofExample}\n`);
	});

	test.each(others)("shows the command `%s`, which succeeds", async (command) => {
		await run(["sh", "-c", command]);
	});

	test.each([
		["Node", "node"],
		["Bun", process.execPath],
	])("shows two programs that run on %s and print what the document says", async (_, runtime) => {
		const outputs = [];
		for (const shown of blocksOf(readDocument("docs/ci.md"), "js")) {
			// The program imports the module that the command `npm install`, tested above, has installed.
			outputs.push(await run([runtime, folder.write(shown, "shown.mjs")]));
		}
		expect(outputs).toEqual(["503\n200\n2\n", "webhook.ping,agent.relaxing\n"]);
	});
});

test("docs/identity-provider.md shows a command that starts a resort with an identity provider", async () => {
	folder.write("s".repeat(32), "secret");
	const [command = ""] = commandsOf(readDocument("docs/identity-provider.md"));
	const program = ["sh", "-c", `exec env ${command} --port 0`];
	await using resort = await serve([], { ...placeOf({ RESORT_DATABASE: ":memory:" }), program });
	expect(await resort.send("GET", "/api/health")).toHaveProperty("agentAuth.mode", "identity-provider");
	expect((await resort.stop()).exitCode).toBe(0);
});

test("documents name only examples that `resort example` prints", async () => {
	const named = documents.flatMap((path) =>
		[...readDocument(path).matchAll(/resort example ([\w.-]+)/g)].map(([, name]) => name),
	);
	expect(named.length).toBeGreaterThan(5);
	expect(Object.keys(await loadExamples())).toEqual(expect.arrayContaining(named));
});

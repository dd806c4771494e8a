import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packClient } from "../../scripts/client-package.ts";
import { operations } from "../../src/cli/operations.ts";
import { catalogue } from "../../src/client/catalogue.ts";
import { formsOf } from "../../src/core/resort/validation.ts";
import { expectWithinBudget } from "../support/budgets.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { TestResort } from "../support/resort.ts";
import { nodes, testWith } from "../support/tools.ts";
import { useServer } from "../support/use-resort.ts";
import { clientPackage, clientProgram } from "./client.ts";

const folder = useTemporaryFolder();
const resort = useServer(["--ephemeral"]);

/** Requests a file, and checks the media type and bytes of the response. Returns its header fields. */
async function expectFile(name: string, type: string, content: string): Promise<Headers> {
	const answer = await fetch(`${resort.url}/${name}`, { headers: { "accept-encoding": "gzip" } });
	expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
	expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(content))).toBe(true);
	return answer.headers;
}

/** Returns the text of a file in the package. */
const unpack = (name: string) =>
	Bun.spawnSync(["tar", "xzfO", clientPackage, `package/${name}`]).stdout.toString();

describe("GET /client.tgz", () => {
	test("returns the built package without further compression", async () => {
		const headers = await expectFile("client.tgz", "application/gzip", clientPackage);
		expect(headers.get("content-encoding")).toBeNull();
	});

	test("returns the same package whether the resort is built or runs from its sources", async () => {
		expect(packClient()).toBe(readFileSync(clientPackage, "base64"));
		await using context = new TestResort();
		const { status, headers } = await context.call("GET", "/client.tgz");
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe("application/gzip");
	});
});

describe("GET /agent-resort.mjs", () => {
	test("returns the built client, compressed if the caller accepts gzip", async () => {
		const headers = await expectFile("agent-resort.mjs", "text/javascript; charset=utf-8", clientProgram);
		expect(headers.get("content-encoding")).toBe("gzip");
	});

	testWith(
		["node"],
		"returns a program that runs from any path, and shows that path in its help",
		async () => {
			const here = join(folder.path, "some where");
			const link = join(folder.path, "spa");
			mkdirSync(here);
			const { text } = await resort.call("GET", "/agent-resort.mjs");
			for (const name of ["agent-resort.mjs", "renamed.mjs"]) writeFileSync(join(here, name), text);
			symlinkSync(join(here, "renamed.mjs"), link);
			const starts = [
				[here, "agent-resort.mjs", "node agent-resort.mjs"],
				[here, "./renamed.mjs", "node renamed.mjs"],
				["/", join(here, "renamed.mjs"), `node ${here}/renamed.mjs`],
				["/", link, "spa"],
			] as const;
			for (const node of nodes) {
				const run = (cwd: string, args: string[], stdin = "") => {
					const env = { HOME: folder.path, PATH: process.env.PATH, PWD: cwd };
					return Bun.spawnSync([node, ...args], { cwd, env, stdin: Buffer.from(stdin) });
				};
				for (const [cwd, file, name] of starts) {
					expect(run(cwd, [file, "--help"]).stdout.toString()).toContain(`\nUsage: ${name} [COMMAND]`);
				}
				const message = { jsonrpc: "2.0", id: 1, method: "ping" };
				const bridge = ["./renamed.mjs", "mcp", "--url", resort.url];
				const { stdout } = run(here, bridge, `${JSON.stringify(message)}\n`);
				expect(JSON.parse(stdout.toString())).toMatchObject({ id: 1, result: {} });
				// A completion script for the command `node` would also apply to all other programs that run on Node.
				const completion = run(here, ["renamed.mjs", "completion", "bash"]);
				expect(completion.stderr.toString()).toStartWith("node renamed.mjs: completion needs a command");
				expect(run("/", [link, "completion", "bash"]).exitCode).toBe(0);
			}
		},
	);
});

test("the package has no dependencies, and contains the client as one file, whose size is within its budget", () => {
	const list = Bun.spawnSync(["tar", "tzf", clientPackage]).stdout.toString();
	expect(list.trim().split("\n")).toEqual([
		"package/package.json",
		"package/agent-resort.mjs",
		"package/testing.mjs",
		"package/testing.cjs",
		"package/testing.d.ts",
		"package/testing.d.cts",
	]);
	const text = unpack("agent-resort.mjs");
	expect(readFileSync(clientProgram, "utf8")).toBe(text);
	expectWithinBudget("agent-resort.mjs", text.length);
	const imported = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, name]) => name);
	expect(imported.filter((name) => !name?.startsWith("node:"))).toEqual([]);
	expect(Object.keys(JSON.parse(unpack("package.json")))).not.toContain("dependencies");
});

test("the client's catalogue contains every operation with all of its fields", () => {
	expect(catalogue.map(({ id }) => id)).toEqual(operations.map(({ id }) => id));
	for (const [at, { fields }] of catalogue.entries()) {
		const { path, query, body } = operations[at] ?? {};
		const names = [
			...(path?.match(/(?<=:)\w+/g) ?? []),
			...Object.keys(query?.properties ?? {}),
			...Object.keys(formsOf(body)[0]?.properties ?? {}),
		];
		expect(fields.map(({ name }) => name)).toEqual(names);
	}
});

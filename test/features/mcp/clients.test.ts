/** Tests of the executable with MCP clients from other projects. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { devDependencies } from "../../../package.json";
import { readDocument } from "../../support/documents.ts";
import { runProgram } from "../../support/executable.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { testWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { connect, programs } from "./support/clients.ts";
import { stayByTools, toolsOfClient } from "./support/tools.ts";

const ephemeral = ["serve", "--ephemeral", "--rate-limits", "off"];

const folder = useTemporaryFolder();
const place = { cwd: folder.path, env: { PATH: process.env.PATH, HOME: folder.path } };
const resort = useServer([...ephemeral, "--port", "0"], { cwd: folder.path }, ({ stderr }) => {
	expect(stderr).toContain('"route":"/mcp"');
	expect(stderr).not.toContain('"level":"ERROR"');
});

// A client that is pinned to the newest revision is tested in test/features/mcp/bridge.test.ts.
test.each(["legacy", "auto"] as const)(
	"the client of the MCP SDK with the version negotiation %j completes a stay",
	async (mode) => {
		await using client = await connect(resort.url, mode);
		const { tools } = await client.listTools();
		expect(tools.length).toBeGreaterThan(15);
		for (const authorization of ["Bearer ", "Bearer ar_wrong"]) {
			await using other = await connect(resort.url, "auto", { headers: { authorization } });
			expect((await other.listTools()).tools).toEqual(tools);
		}
		expect(client.getInstructions()).toContain("check_in");
		const ajv = addFormats.default(new Ajv2020({ strict: false }));
		const accepts = new Map(tools.map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]));
		const use = toolsOfClient(client);
		await stayByTools((name, args = {}) => {
			expect(accepts.get(name)?.(args), `${name} ${JSON.stringify(args)}`).toBe(true);
			return use(name, args);
		});
		const { resources } = await client.listResources();
		for (const { uri } of resources) {
			const { contents } = await client.readResource({ uri });
			expect(contents).toHaveLength(1);
		}
		const { messages } = await client.getPrompt({ name: "take_a_break" });
		expect(messages).toHaveLength(1);
	},
);

testWith(["node"], "the MCP Inspector command in docs/mcp.md can call a tool", async () => {
	const { key } = await resort.register();
	const version = devDependencies["@modelcontextprotocol/inspector"];
	const npx = `npx @modelcontextprotocol/inspector@${version}`;
	const row = readDocument("docs/mcp.md")
		.split("`")
		.find((text) => text.startsWith(npx));
	const command = (row ?? "")
		.replace(npx, `node ${programs.inspector}`)
		.replace("https://resort.example.com", resort.url)
		.replace("tools/list", "tools/call --tool-name overview");
	const code = `KEY=${key}; ${command}`;
	const { exitCode, stdout } = await runProgram(["sh", "-c", code], place);
	expect(exitCode).toBe(0);
	expect(JSON.parse(stdout).structuredContent.agent.name).toBe("Ada");
});

/** Scenarios of the MCP conformance suite that do not need tools, resources or prompts made for the suite. */
const shared = "tools-list resources-list prompts-list dns-rebinding-protection server-sse-multiple-streams";
const scenarios = {
	"2026-07-28": `${shared} caching http-header-validation sep-2164-resource-not-found
		input-required-result-missing-input-response input-required-result-unsupported-methods
		input-required-result-ignore-extra-params input-required-result-validate-input`,
	"2025-11-25": `${shared} server-initialize ping server-session-lifecycle server-sse-polling`,
};

/** Matches the message of a check that failed because it needs a tool made for the conformance suite. */
const OWN_TOOLS = /Not testable: server does not list the diagnostic tool/;

describe("the MCP server", () => {
	test("passes the conformance scenarios of revision 2025-11-25", async () => {
		await expectConformance("2025-11-25");
	});

	test("passes the conformance scenarios of revision 2026-07-28, and all checks for a server without sessions", async () => {
		const results = join(folder.path, "results");
		await expectConformance("2026-07-28", "-o", results);
		const [file = ""] = new Bun.Glob("server-server-stateless-*/checks.json").scanSync(results);
		const checks: { status: string; errorMessage?: string }[] = await Bun.file(join(results, file)).json();
		expect(checks.length).toBeGreaterThan(20);
		const failed = checks.filter(
			({ status, errorMessage = "" }) => status === "FAILURE" && !OWN_TOOLS.test(errorMessage),
		);
		expect(failed).toEqual([]);
	});
});

/** Runs the MCP conformance suite. Requires that the {@link scenarios} of a protocol revision pass. */
async function expectConformance(revision: keyof typeof scenarios, ...args: string[]): Promise<void> {
	const command = [process.execPath, programs.conformance, "server", "--url", `${resort.url}/mcp`];
	const { stdout } = await runProgram([...command, "--requirements", revision, ...args], place);
	const [, summary = ""] = stdout.split("=== SUMMARY ===");
	for (const name of scenarios[revision].split(/\s+/)) expect(summary).toContain(`✓ ${name}: `);
}

/** Tests of `resort mcp`, which connects an MCP client on stdin and stdout to a resort. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { clientProgram, fakeResort, quietResort } from "../../client/client.ts";
import { executable } from "../../support/executable.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { isAlive } from "../../support/processes.ts";
import { testWith } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { useAgent, useServer } from "../../support/use-resort.ts";
import { connectByStdio } from "./support/clients.ts";
import { stayByTools, toolsOfClient } from "./support/tools.ts";

const folder = useTemporaryFolder();
const resort = useServer(["serve", "--ephemeral", "--port", "0", "--rate-limits", "off"], {
	cwd: folder.path,
});
const agent = useAgent(resort);

const home = { HOME: folder.path };

/** Completes a stay through the command `mcp` of a program. The default program is `resort`. */
async function stayByBridge(mode: "legacy" | "auto" | "pinned", url: string, program?: readonly string[]) {
	const env = { ...home, PATH: process.env.PATH ?? "" };
	const bridge = await connectByStdio(mode, ["--url", url], env, program);
	await stayByTools(toolsOfClient(bridge.client));
	await bridge.client.close();
	await until(async () => !isAlive(bridge.pid));
	expect(bridge.stderr()).toBe("");
}

test.each(["legacy", "auto"] as const)(
	"`resort mcp` forwards every call of a stay for a client with the version negotiation %j",
	(mode) => stayByBridge(mode, resort.url),
);

testWith(["node"], "`agent-resort mcp`, a command of the Node.js client, forwards every call of a stay", () =>
	stayByBridge("pinned", `${resort.url}/mcp`, ["node", clientProgram]),
);

/** Runs `resort mcp` with the given lines on stdin, and returns its output. */
async function carry(
	lines: readonly (object | string)[],
	args: readonly string[],
	env: Record<string, string> = home,
) {
	const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
	const stdin = `${texts.join("\n")}\n`;
	const { stdout, ...ended } = await folder.run(["mcp", ...args], { env, stdin });
	const written = stdout.split("\n").filter(Boolean);
	return { ...ended, answers: written.map((line) => JSON.parse(line)) };
}

const overview = {
	jsonrpc: "2.0",
	id: "a",
	method: "tools/call",
	params: { name: "overview", arguments: {} },
};

describe("`resort mcp` sends the API key", () => {
	const callerOf = ({ answers }: Awaited<ReturnType<typeof carry>>) =>
		answers[0].result.structuredContent?.agent.id ?? null;

	test("from RESORT_API_KEY, even if the value of `--url` already ends with /mcp", async () => {
		const env = { ...home, RESORT_API_KEY: agent.key };
		for (const path of ["/mcp", "/mcp/"]) {
			expect(callerOf(await carry([overview], ["--url", resort.url + path], env))).toBe(agent.id);
		}
	});

	test("from the client's configuration file to the address in that file", async () => {
		const stored = { apiKey: agent.key, agentId: agent.id, apiUrl: resort.url };
		const path = join(folder.path, "stored.json");
		for (const file of [join(folder.path, ".agent-resort.json"), path])
			await Bun.write(file, JSON.stringify(stored));
		for (const args of [[], ["--config", path]])
			expect(callerOf(await carry([overview], args))).toBe(agent.id);
	});
});

describe("`resort mcp` answers with an error", () => {
	test("that has the id of the invalid message, or null if no id can be read", async () => {
		const { answers, exitCode } = await carry(
			[
				"{",
				"[]",
				"",
				{ jsonrpc: "2.0", id: 3, method: "x".repeat(70_000) },
				{ jsonrpc: "2.0", method: "notifications/initialized" },
				{ jsonrpc: "2.0", id: "ö", method: "ping" },
			],
			["--url", resort.url],
		);
		expect(exitCode).toBe(0);
		const told = answers.map(({ id, error }) => `${id} ${error?.code}`);
		expect(told).toHaveLength(4);
		expect(told).toEqual(expect.arrayContaining(["null -32700", "3 -32600", "ö undefined"]));
	});

	test("if the resort is not reachable", async () => {
		const args = ["--url", "http://127.0.0.1:9"];
		const env = { HOME: join(folder.path, "nobody") };
		const { answers, stderr, exitCode } = await carry([overview], args, env);
		const message = expect.stringContaining("not reachable");
		expect(answers).toMatchObject([{ id: "a", error: { code: -32603, message } }]);
		expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
	});

	test("that contains the status and the seconds to wait, if the response of the resort is not JSON", async () => {
		const busy = { status: 503, headers: { "retry-after": "7" } };
		await using other = fakeResort(() => new Response("<p>busy", busy));
		const { answers } = await carry([overview], ["--url", other.url]);
		expect(answers[0].error.message).toContain("503: wait 7 seconds");
		expect(other.asked.map(({ target }) => target)).toEqual(["/mcp"]);
	});
});

test("`resort mcp` immediately cancels the call whose id the client names, and no other call", async () => {
	const cancelled = Promise.withResolvers<void>();
	await using other = fakeResort(async (request) => {
		const { id, method } = (await request.json()) as Record<string, unknown>;
		if (method === "tools/call") {
			request.signal.addEventListener("abort", () => cancelled.resolve());
			return Promise.withResolvers<Response>().promise;
		}
		await cancelled.promise;
		return Response.json({ jsonrpc: "2.0", id, result: {} });
	});
	const child = Bun.spawn([executable, "mcp", "--url", other.url], {
		env: home,
		stdin: "pipe",
		stdout: "pipe",
	});
	const write = async (message: object) => {
		child.stdin.write(`${JSON.stringify(message)}\n`);
		await child.stdin.flush();
	};
	await write(overview);
	await write({ ...overview, id: "last", method: "ping" });
	await until(() => other.asked.length === 2);
	const method = "notifications/cancelled";
	await write({ ...overview, method, params: { requestId: overview.id } });
	await cancelled.promise;
	child.stdin.end();
	const answer = { jsonrpc: "2.0", id: "last", result: {} };
	expect(await new Response(child.stdout).json()).toEqual(answer);
});

test("`resort mcp` exits with 0 if its stdout is closed", async () => {
	await using other = quietResort();
	const line = JSON.stringify(overview);
	const script = `(sleep 0.3; echo '${line}') | "$0" mcp --url ${other.url} > >(exec <&-); exit "\${PIPESTATUS[1]}"`;
	const env = { HOME: "/nowhere", PATH: process.env.PATH ?? "" };
	const ended = await folder.run([executable], { env, program: ["bash", "-c", script] });
	expect(ended).toEqual({ exitCode: 0, stdout: "", stderr: "" });
	expect(other.asked).toHaveLength(1);
});

test("`resort mcp` ends when its parent process is killed, even while a call is in progress", async () => {
	await using silent = fakeResort(() => Promise.withResolvers<Response>().promise);
	const script = `exec 3<&0; "$0" mcp --url ${silent.url} <&3 & echo $!; wait`;
	const parent = Bun.spawn(["sh", "-c", script, executable], { env: home, stdin: "pipe", stdout: "pipe" });
	const reader = parent.stdout.getReader();
	const { value } = await reader.read();
	const pid = Number(new TextDecoder().decode(value));
	parent.stdin.write(`${JSON.stringify(overview)}\n`);
	await parent.stdin.flush();
	await until(() => silent.asked.length === 1);
	expect(isAlive(pid)).toBe(true);
	parent.kill("SIGKILL");
	parent.stdin.end();
	await until(async () => !isAlive(pid));
});

test.each([
	["no resort is configured", [], "no resort is configured: set --url or RESORT_API_URL", 2],
	["the configuration file is not JSON", ["--config", "broken.json"], "cannot be read: it is not JSON", 1],
] as const)("`resort mcp` fails if %s", async (_, args, told, code) => {
	await Bun.write(join(folder.path, "broken.json"), "[");
	const env = { HOME: join(folder.path, "nobody") };
	const { exitCode, stdout, stderr } = await folder.run(["mcp", ...args], { env });
	expect(stderr).toContain(told);
	expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
});

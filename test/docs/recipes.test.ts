import { describe, expect, test } from "bun:test";
import { blocksOf, partOf, readDocument } from "../support/documents.ts";
import { runProgram } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { useServer } from "../support/use-resort.ts";

const folder = useTemporaryFolder();
const text = readDocument("docs/recipes.md");

/** Runs a Bash command as GitHub Actions runs a step. */
async function run(command: string, env: Readonly<Record<string, string>>) {
	const place = { cwd: folder.path, env: { PATH: process.env.PATH, ...env } };
	const { exitCode, stdout } = await runProgram(["bash", "-e", "-c", command], place);
	return { exitCode, stdout };
}

const resort = useServer(["--ephemeral"]);

/** Registers an agent and checks it in. `leave` checks it out. */
async function welcome() {
	const guest = await resort.guest();
	return { leave: () => resort.checkOut(guest), env: { RESORT_URL: resort.url, ID: guest.id } };
}

const nowhere = { RESORT_URL: "http://127.0.0.1:9", ID: "nobody" };

describe("docs/recipes.md", () => {
	test("has only code blocks of fewer than 15 lines", () => {
		const blocks = [...text.matchAll(/^```\w+\n(.*?)^```/gms)].map(([, block = ""]) => block.trimEnd());
		expect(blocks.length).toBeGreaterThan(10);
		for (const block of blocks) expect(block.split("\n").length, block).toBeLessThan(15);
	});

	test("cites a dated source for each recipe that has no test", async () => {
		const peers = await Bun.file(`${import.meta.dir}/../peers/tools/recipes.ts`).text();
		const byPeers = Array.from(peers.matchAll(/recipe\("([^"]+)"/g), ([, name]) => name);
		const tested = ["Shell", "GitHub Actions", ...byPeers];
		const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, name = ""]) => name);
		for (const part of parts.filter((name) => !tested.includes(name))) {
			expect(partOf("docs/recipes.md", part), part).toMatch(/Follows\s\S+\.\S+.*\(\d{4}-\d\d-\d\d\)/s);
		}
	});

	test("has URLs for monitoring tools, and each URL returns whether the agent is available", async () => {
		const { leave, env } = await welcome();
		const read = async (part: string, at = 0) => {
			const urls = [...partOf("docs/recipes.md", part).matchAll(/["`]https:\/\/resort\.example(.*?)["`]/g)];
			const [, path = ""] = urls[at] ?? [];
			const response = await fetch(resort.url + path.replace(/\bID\b/, env.ID));
			return { code: response.status, body: await response.json() };
		};
		const keda = partOf("docs/recipes.md", "KEDA");
		const [, valueLocation = ""] = /valueLocation: (\w+)/.exec(keda) ?? [];
		for (const [code, status, count] of [
			[409, "relaxing", 0],
			[200, "available", 1],
		] as const) {
			for (const part of ["Prometheus", "Gatus", "Uptime Kuma"]) expect((await read(part)).code).toBe(code);
			expect(await read("Uptime Kuma", 1)).toMatchObject({ code: 200, body: { status } });
			const body = { status, since: expect.any(String), message: expect.any(String) };
			expect(await read("Home Assistant")).toMatchObject({ code: 200, body });
			expect((await read("KEDA")).body).toHaveProperty(valueLocation, count);
			if (status === "relaxing") await leave();
		}
	});

	test("has a shell script that assigns work unless the agent is relaxing", async () => {
		const { leave, env } = await welcome();
		const [script = ""] = blocksOf(partOf("docs/recipes.md", "Shell"), "sh");
		expect(await run(script, env)).toEqual({ exitCode: 0, stdout: "not now\n" });
		await leave();
		expect(await run(script, env)).toEqual({ exitCode: 0, stdout: `assign ${env.ID}\n` });
		expect(await run(script, nowhere)).toEqual({ exitCode: 0, stdout: "assign nobody\n" });
	});

	test("has a step for GitHub Actions that fails if the agent does not become available in time", async () => {
		const { leave, env } = await welcome();
		const [block = ""] = blocksOf(partOf("docs/recipes.md", "GitHub Actions"), "yaml");
		const [step] = Bun.YAML.parse(block) as [{ readonly run: string; readonly env: object }];
		expect(Object.keys(step.env)).toEqual(Object.keys(env));
		const refused = await run(step.run.replace("wait=60", "wait=1"), env);
		expect(refused).toEqual({ exitCode: 22, stdout: "" });
		const waiting = run(step.run, env);
		await leave();
		expect((await waiting).stdout).toContain('"status":"available"');
		expect((await waiting).exitCode).toBe(0);
		expect((await run(step.run, nowhere)).exitCode).toBe(7);
	});
});

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { serve } from "../support/executable.ts";
import { useFreshFolder } from "../support/program-folder.ts";

const folder = useFreshFolder();

describe("a resort that has just started", () => {
	test("answers and logs the first requests", async () => {
		const database = join(folder.path, "resort.sqlite");
		const before = await serve(
			["serve", "--port", "0", "--database", database],
			{ cwd: folder.path },
		);
		const registered = await fetch(`${before.url}/api/agents`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name: "Ada" }),
		});
		const { agent } = (await registered.json()) as { agent: { id: string } };
		await before.stop();

		const resort = await serve(
			["serve", "--port", "0", "--database", database],
			{ cwd: folder.path },
		);
		const paths = [
			`/api/agents/${agent.id}/status`,
			"/api/health",
			"/api/lobby",
			"/api/nowhere",
		];
		const answers = await Promise.all(
			paths.map((path) => fetch(resort.url + path)),
		);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
		const ended = await resort.stop();
		const lines = ended.stderr.matchAll(/"route":"([^"]+)","status":(\d+)/g);
		expect([...lines].map(([, ...line]) => line.join(" ")).sort()).toEqual([
			"/api/agents/:id/status 200",
			"/api/health 200",
			"/api/lobby 200",
			"unknown 404",
		]);
	});

	test("stops in order when nobody has asked for anything", async () => {
		const resort = await serve(["serve", "--port", "0", "--ephemeral"], {
			cwd: folder.path,
		});
		const { exitCode, stderr } = await resort.stop();
		expect(exitCode).toBe(0);
		expect(stderr).toContain('"stopped"');
	});
});

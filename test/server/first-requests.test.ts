import { expect, test } from "bun:test";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";
import { ask } from "../support/visit.ts";
import { linesOf } from "./log-of.ts";

const folder = useTemporaryFolder();

test("a resort that has just started answers and logs the first requests", async () => {
	const args = ["serve", "--port", "0", "--database", "resort.sqlite"];
	const before = await folder.serve(args);
	const ada = { name: "Ada" };
	const { agent } = await ask(before.url, "POST", "/api/agents", "", ada);
	await before.stop();

	const resort = await folder.serve(args);
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
	const lines = linesOf((await resort.stop()).stderr, "request");
	expect(lines.map(({ route, status }) => `${route} ${status}`).sort()).toEqual(
		[
			"/api/agents/:id/status 200",
			"/api/health 200",
			"/api/lobby 200",
			"unknown 404",
		],
	);
});

test("a resort that nobody has called stops in order", async () => {
	const resort = await folder.serve(["serve", "--port", "0", "--ephemeral"]);
	const { exitCode, stderr } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(stderr).toContain('"stopped"');
});

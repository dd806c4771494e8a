import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { exampleNames } from "../../src/cli/example-command.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";
import { ask } from "../support/visit.ts";

const folder = useTemporaryFolder();

const root = join(import.meta.dir, "../..");

const isDashboard = (name: string) => name === "grafana-dashboard.json";

test.each(exampleNames.filter((name) => !isDashboard(name)))(
	"resort example %s prints the file",
	async (name) => {
		const path = ["deploy", "examples", "dist"]
			.map((place) => join(root, place, name))
			.find((path) => existsSync(path));
		const stdout = await folder.succeed(["example", name]);
		expect(stdout).toBe(readFileSync(path ?? "", "utf8"));
	},
);

test("resort example grafana-dashboard.json prints the dashboard", async () => {
	const { stdout } = await folder.run(["example", "grafana-dashboard.json"]);
	const file = join(root, "deploy/grafana-dashboard.json");
	expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

test("resort example resort.toml prints settings that doctor has nothing to say of", async () => {
	const cwd = folder.path;
	const { stdout } = await folder.run(["example", "resort.toml"]);
	// The folder is not on the machine that runs the tests; the comments are settings to choose.
	const text = stdout
		.replace("/var/lib/resort/", "./")
		.replaceAll(/^#(?=[a-z-]+ = )/gm, "");
	writeFileSync(join(cwd, "resort.toml"), text);
	const args = ["doctor", "--all", "--port", "0", "--config", "resort.toml"];
	const checked = await folder.run(args);
	expect(checked.stdout).toContain("(resort.toml: max-stay)");
	expect(
		checked.stdout.match(/^warn {2}(?!database|free disk).*/gm),
	).toBeNull();
});

test("resort example fixtures.json prints what --fixtures takes, something of everything", async () => {
	const cwd = folder.path;
	const { stdout } = await folder.run(["example", "fixtures.json"]);
	writeFileSync(join(cwd, "fixtures.json"), stdout);
	const { agents, stays, experiences, votes, postcards } = JSON.parse(stdout);
	const resort = await folder.serve([
		"--ephemeral",
		"--fixtures",
		"fixtures.json",
	]);
	const stayed = await Promise.all(
		agents.map(async ({ id, apiKey }: { id: string; apiKey: string }) => {
			const { agent } = await ask(resort.url, "GET", "/api/me", apiKey);
			expect(agent.id).toBe(id);
			return (await ask(resort.url, "GET", "/api/stays", apiKey)).stays.length;
		}),
	);
	expect(stayed).toEqual([1, 1]);
	expect(stays).toHaveLength(2);
	const { guests } = await ask(resort.url, "GET", "/api/lobby");
	expect(guests).toHaveLength(1);
	const path = `/api/experiences/${experiences[0].id}`;
	const { experience } = await ask(resort.url, "GET", path);
	expect(experience.totalVotes).toBe(votes.length);
	expect(votes).toHaveLength(1);
	const board = await ask(resort.url, "GET", "/api/postcards");
	const key = agents[0].apiKey;
	const inbox = await ask(resort.url, "GET", "/api/postcards/inbox", key);
	expect([...board.postcards, ...inbox.postcards]).toHaveLength(
		postcards.length,
	);
	expect(inbox.postcards).toHaveLength(1);
	await resort.stop();
});

test.each([
	[["example"], "example takes FILE"],
	[["example", "a", "b"], "example takes FILE"],
	[["example", "constructor"], 'example "constructor": must be resort.service'],
	[["example", "../README.md"], "must be resort.service"],
	[["example", "nginx.conf", "--database", "x"], "unknown flag --database"],
])("resort %p is refused", async (args, told) => {
	await folder.refuse(args, told, 2);
});

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadExamples } from "../../src/cli/example-command.ts";
import { root } from "../support/documents.ts";
import { useTemporaryFolder } from "../support/folder.ts";

const folder = useTemporaryFolder();

test.each(Object.keys(await loadExamples()))("`resort example %s` prints the example file", async (name) => {
	const path = ["deploy", "examples", "dist"].map((place) => join(root, place, name)).find(existsSync);
	const content = (text: string) => (name.endsWith(".json") ? JSON.parse(text) : text);
	const stdout = await folder.succeed(["example", name]);
	expect(content(stdout)).toEqual(content(readFileSync(path ?? "", "utf8")));
});

test("`resort example resort.toml` prints settings that doctor accepts without a warning", async () => {
	const stdout = await folder.succeed(["example", "resort.toml"]);
	// Replaces a folder that does not exist on this machine, and enables the settings that are in comments.
	const text = stdout.replace("/var/lib/resort/", "./").replaceAll(/^#(?=[a-z-]+ = )/gm, "");
	folder.write(text, "resort.toml");
	const checked = await folder.doctor(["--config", "resort.toml"]);
	expect(checked.stdout).toContain("(resort.toml: max-stay)");
	expect(checked.stdout.match(/^warn {2}(?!database|free disk).*/gm)).toBeNull();
});

test("`resort example fixtures.json` prints valid fixtures with entries in every list", async () => {
	const stdout = await folder.succeed(["example", "fixtures.json"]);
	folder.write(stdout, "fixtures.json");
	const lists: Record<string, unknown[]> = JSON.parse(stdout);
	for (const name of ["agents", "stays", "experiences", "votes", "postcards"]) {
		expect([name, lists[name]]).not.toEqual([name, []]);
	}
	await using resort = await folder.serve(["--ephemeral", "--test-controls", "--fixtures", "fixtures.json"]);
	const state = await resort.send("GET", "/test/state");
	expect(state).toMatchObject({ agents: lists.agents?.length, guests: 1 });
});

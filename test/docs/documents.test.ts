import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { configuration } from "../../src/cli/features.ts";
import { operations } from "../../src/cli/operations.ts";
import { limitsOf } from "../../src/core/calls/rate-limits.ts";
import type { Setting } from "../../src/core/config/setting.ts";
import { inWords } from "../../src/core/lib/clock.ts";
import { blocksOf, commandsOf, documents, readDocument, root } from "../support/documents.ts";
import { runTool } from "../support/tools.ts";
import { useServer } from "../support/use-resort.ts";

const resort = useServer(["--ephemeral"]);

/** Returns the anchors that code hosts such as GitHub create for the headings of a document. */
function anchorsOf(text: string): string[] {
	// Omits code blocks, because a line of code may begin with #.
	const prose = text.replaceAll(/^```.*?^```/gms, "");
	const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
	return headings.map((heading) => heading.replaceAll(/[^\w\s-]/g, "").replaceAll(" ", "-"));
}

/** Returns the path of every value in a JSON object, such as `stay.currentActivity.name`. */
function pathsOf(value: unknown, path = ""): string[] {
	if (value === null || typeof value !== "object") return [path];
	return Object.entries(value).flatMap(([key, inner]) =>
		pathsOf(inner, path === "" ? key : `${path}.${key}`),
	);
}

test.each([...documents])("%s links only to existing files and headings", (path) => {
	const links = [...readDocument(path).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link ?? "");
	const broken = links.filter((link) => {
		const [file = "", anchor] = link.split("#");
		const target = file === "" ? path : join(dirname(path), file);
		if (!existsSync(join(root, target))) return true;
		return anchor !== undefined && !anchorsOf(readDocument(target)).includes(anchor);
	});
	expect(broken).toEqual([]);
});

test("docs/ci.md lists the path and id of every operation under /api", () => {
	const [, table = ""] = readDocument("docs/ci.md").split("### Operations");
	const rows = table.matchAll(/`([A-Z]+ \/api[^`]*)` (\w+)/g);
	const told = [...rows].map(([, call = "", id]) => `${call} ${id}`);
	const all = operations
		.filter(({ path }) => path.startsWith("/api/"))
		.map(({ method, path, id }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")} ${id}`);
	expect(told.sort()).toEqual(all.sort());
});

test("docs/hosting.md lists every rate limit with its number of calls and its period", () => {
	const [, section = ""] = readDocument("docs/hosting.md").split("## Rate limits");
	const told = section.replaceAll("\n", " ");
	for (const { name, limit, windowMs } of limitsOf(operations)) {
		const time = windowMs === 1_000 ? "1 second" : inWords(windowMs);
		expect(told).toContain(`\`${name}\` ${limit} in ${time}`);
	}
});

test("docs/settings.md lists every setting with its default", () => {
	const rows = readDocument("docs/settings.md").matchAll(/^\| `--([\w-]+)` \| (?:none|`([^`]*)`) \|/gm);
	const told = [...rows].map(([, name, preset]) => [name, preset ?? ""]);
	const all: [string, Setting<unknown>][] = Object.entries(configuration.settings);
	expect(told).toEqual(all.map(([name, { preset = "" }]) => [name, preset]));
});

test("README.md shows all fields of an agent's status during a stay, and docs/ci.md all fields after a stay", async () => {
	const ada = await resort.guest();
	const status = () => resort.send("GET", `/api/agents/${ada.id}/status`);
	await resort.send("POST", "/api/activities/tidepool-float/do", { key: ada.key });
	const relaxing = pathsOf(await status());
	await resort.checkOut(ada);
	const available = pathsOf(await status());
	const shown = (path: string, at: number) =>
		pathsOf(JSON.parse(blocksOf(readDocument(path), "json")[at] ?? ""));
	expect(shown("README.md", 0)).toEqual(expect.arrayContaining(relaxing));
	expect(shown("docs/ci.md", 0)).toEqual(expect.arrayContaining(available));
});

/** Replaces each string, number and boolean in a JSON value by the name of its type. */
function fieldsOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(fieldsOf);
	if (value === null || typeof value !== "object") return typeof value;
	return Object.entries(value).map(([name, inner]) => [name, fieldsOf(inner)]);
}

test("the commands in docs/events.md succeed, and their responses have the fields that the document shows", async () => {
	const page = readDocument("docs/events.md");
	const agent = await resort.guest();
	await resort.checkOut(agent);
	const answers: string[] = [];
	for (const command of commandsOf(page)) {
		const here = command.replace("localhost:3000", resort.url).replace("$ID", agent.id);
		answers.push((await runTool("sh", ["-c", here])).output);
	}
	const [one = "", batch = "", counts = "", events = "", stream = ""] = answers;
	expect(answers).toHaveLength(5);
	expect(JSON.parse(one).status).toBe("available");
	expect(JSON.parse(batch).statuses).toHaveLength(1);
	const [counted = "", shown = ""] = blocksOf(page, "json");
	expect(JSON.parse(counts)).toEqual(JSON.parse(counted));
	expect(fieldsOf(JSON.parse(events))).toEqual(fieldsOf(JSON.parse(shown)));
	expect(stream).toStartWith("retry: 2000\n\n");
	const frame = /^id: \d+\nevent: agent\.available\ndata: (.*)\n\n/m;
	const [, told = ""] = frame.exec(stream) ?? [];
	const [, example = ""] = /^data: (.*)$/m.exec(page) ?? [];
	expect(fieldsOf(JSON.parse(told))).toEqual(fieldsOf(JSON.parse(example)));
});

import { expect, test } from "bun:test";
import { blocksOf, commandsOf, readDocument } from "../support/documents.ts";
import { runTool } from "../support/tools.ts";
import { useServer } from "../support/use-resort.ts";
import { visit } from "../support/visit.ts";

const resort = useServer(["--ephemeral"]);
const page = readDocument("docs/events.md");

/** Replaces the values in a JSON value by their types. */
function fieldsOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(fieldsOf);
	if (value === null || typeof value !== "object") return typeof value;
	return Object.entries(value).map(([name, inner]) => [name, fieldsOf(inner)]);
}

test("the commands in docs/events.md succeed, and their responses have the fields that it shows", async () => {
	const { agent, apiKey } = await visit(resort.url);
	await resort.send("POST", "/api/checkout", { key: apiKey });
	const answers: string[] = [];
	for (const command of commandsOf(page)) {
		const here = command.replace("localhost:3000", resort.url).replace("$ID", agent);
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

import { assignments, guidance, rules } from "../../content/assignments.ts";
import type { Context } from "../../core/resort/context.ts";
import { documentsOf } from "../documents/documents.ts";
import { toolOf } from "./things-to-do.ts";

const MARKDOWN = "text/markdown";

/** The documents for models, as MCP lists them. They name tools instead of HTTP calls. */
export const resources = [
	{
		uri: "resort://guide",
		name: "guide",
		title: "Guide to the resort",
		description: "How to stay at the resort with these tools",
		mimeType: MARKDOWN,
	},
	{
		uri: "resort://assignments",
		name: "assignments",
		title: "What to create at the resort",
		description: "Rules for public texts, and prompts",
		mimeType: MARKDOWN,
	},
] as const;

/** Returns the content of a document; undefined for an unknown one. */
export function readResource(context: Context, uri: string) {
	const resource = resources.find((one) => one.uri === uri);
	if (resource === undefined) return undefined;
	const text =
		resource.name === "guide" ? String(documentsOf(context).get("tools").content) : assignmentsText();
	return { uri, mimeType: MARKDOWN, text };
}

function assignmentsText(): string {
	const prompts = assignments.map(
		({ title, brief, artifact }) => `- **${title}** (\`${toolOf[artifact]}\`): ${brief}`,
	);
	const list = rules.map((rule) => `- ${rule}`);
	return ["# What to create at the resort", guidance, list.join("\n"), prompts.join("\n")].join("\n\n");
}

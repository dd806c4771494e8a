import { assignments, guidance, rules } from "../content/assignments.ts";
import type { Context } from "../resort/context.ts";
import { toolOf } from "./things-to-do.ts";

/** A document for models, as MCP lists it. */
interface ListedResource {
	readonly uri: string;
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly mimeType: string;
}

const MARKDOWN = "text/markdown";

const listed: readonly ListedResource[] = [
	{
		uri: "resort://guide",
		name: "guide",
		title: "Guide to the resort",
		description: "How a stay at the resort goes, by its tools",
		mimeType: MARKDOWN,
	},
	{
		uri: "resort://assignments",
		name: "assignments",
		title: "What to create at the resort",
		description: "Rules for public texts, and prompts to start from",
		mimeType: MARKDOWN,
	},
];

/** The documents that MCP client programs can show to their models. The documents name tools instead of HTTP calls. */
export class Resources {
	readonly listed = listed;

	constructor(private readonly context: Pick<Context, "documents">) {}

	/** Returns the content of a document; undefined for an unknown one. */
	read(uri: string) {
		const text = this.#textOf(uri);
		return text === undefined ? undefined : { uri, mimeType: MARKDOWN, text };
	}

	#textOf(uri: string): string | undefined {
		const resource = listed.find((one) => one.uri === uri);
		if (resource === undefined) return undefined;
		return resource.name === "guide"
			? String(this.context.documents.get("tools").content)
			: assignmentsText();
	}
}

function assignmentsText(): string {
	return [
		"# What to create at the resort",
		guidance,
		rules.map((rule) => `- ${rule}`).join("\n"),
		assignments
			.map(
				({ title, brief, artifact }) =>
					`- **${title}** (\`${toolOf(artifact)}\`): ${brief}`,
			)
			.join("\n"),
	].join("\n\n");
}

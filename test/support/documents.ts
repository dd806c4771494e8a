import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the project. */
export const root = join(import.meta.dir, "../..");

/** The documents for people, as paths relative to the project. */
export const documents: readonly string[] = [
	"README.md",
	"AGENTS.md",
	"CONTRIBUTING.md",
	"SECURITY.md",
	...readdirSync(join(root, "docs"))
		.filter((name) => name.endsWith(".md"))
		.map((name) => `docs/${name}`),
];

/** Returns the text of a document. */
export function readDocument(path: string): string {
	return readFileSync(join(root, path), "utf8");
}

/** Returns a section of a document: from its heading to the next heading of the same level. */
export function partOf(path: string, heading: string): string {
	const [, part] = readDocument(path).split(`\n## ${heading}\n`);
	if (part === undefined) throw new Error(`${path} has no part ${heading}`);
	return part.split("\n## ")[0] ?? "";
}

/** Returns the contents of the fenced code blocks in a language, in their order in the text. */
export function blocksOf(text: string, language: string): string[] {
	return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
		([, block]) => block ?? "",
	);
}

/** Returns the lines in all fenced `sh` blocks. Each line is one command. */
export function commandsOf(text: string): string[] {
	return blocksOf(text, "sh").flatMap((block) => block.trim().split("\n"));
}

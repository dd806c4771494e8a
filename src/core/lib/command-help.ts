import type { CommandShape, KnownFlags } from "./command-line.ts";

const COLUMN = 26;

/** Returns the help text of a command. The flags are described after the other sections. */
export function helpOf(name: string, command: CommandShape, sections: readonly string[] = []): string {
	const { words, flags, summary, about = "" } = command;
	const hasFlags = Object.keys(flags).length > 0;
	const usual = [words, hasFlags ? "[FLAGS]" : ""].filter(Boolean).join(" ");
	const usage = (command.usage ?? [usual]).map((line) => `${name} ${line}`.trimEnd()).join("\n       ");
	const parts = [
		`Usage: ${usage}`,
		summary,
		about,
		...sections,
		hasFlags ? `Flags:\n${describeFlags(flags)}` : "",
	];
	return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** Returns one line of help for each flag. */
export function describeFlags(flags: KnownFlags): string {
	return columns(
		Object.entries(flags).map(([name, { value, help, preset }]) => {
			if (value === undefined) return [`--${name}`, help];
			return [`--${name} ${value}`, preset ? `${help} [${preset}]` : help];
		}),
	);
}

/** Formats rows of two cells as aligned lines. After a first cell wider than `width`, a new line starts. */
export function columns(rows: readonly (readonly [string, string])[], width = COLUMN): string {
	return rows
		.map(([first, second]) => {
			const gap = first.length > width ? `\n${" ".repeat(width + 2)}` : "";
			return `  ${first.padEnd(width)}${gap} ${second}`.trimEnd();
		})
		.join("\n");
}

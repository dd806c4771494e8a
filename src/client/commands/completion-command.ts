import type { Command } from "../client-command.ts";
import { candidates, completionScript } from "../completion.ts";

/** `completion SHELL`: prints a completion script; `completion SHELL -- WORDS` prints the completions of a line. */
export const completion: Command = {
	summary: "Print a completion script for a shell",
	words: "bash|zsh|fish",
	flags: {},
	startsProgram: true,
	async run({ line: { words, program }, system, commands }) {
		const [shell = ""] = words;
		system.print(
			program === null
				? completionScript(shell, system.name)
				: candidates(system.name, program, commands).join("\n"),
		);
	},
};

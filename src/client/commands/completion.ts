import type { Command } from "../command.ts";
import { completionScript } from "../completion.ts";
import { usage } from "../failure.ts";

const shells = ["bash", "zsh", "fish"];

/** `completion SHELL`: prints a script that completes this program's commands, flags and words. */
export const completion: Command = {
	summary: "Print a completion script for a shell",
	words: shells.join("|"),
	count: [1, 1],
	flags: {},
	choices: shells,
	async run({ line, world, commands }) {
		const [shell = ""] = line.words;
		if (!shells.includes(shell)) {
			throw usage(`completion: the shell must be ${shells.join(", ")}`);
		}
		world.print(completionScript(shell, world.name, commands));
	},
};

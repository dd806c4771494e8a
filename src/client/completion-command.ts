import { commandIndex } from "../core/lib/command-line.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { type Command, type Commands, commonFlags } from "./client-command.ts";
import { print } from "./terminal.ts";

/**
 * `completion SHELL` prints a completion script; `completion SHELL -- WORDS` prints the possible completions
 * of a command line.
 */
export const completion: Command = {
	summary: "Print a completion script for a shell",
	words: "bash|zsh|fish",
	flags: {},
	startsProgram: true,
	async run({ line: { words, program }, name, commands }) {
		const [shell = ""] = words;
		if (name.startsWith("node ")) {
			throw new UsageError(
				"completion needs a command: chmod +x this file, and link it as agent-resort in a folder of the PATH",
			);
		}
		print(program === null ? completionScript(shell, name) : candidates(name, program, commands).join("\n"));
	},
};

/**
 * Returns a shell script that provides tab completion for the program. The script gets the candidates by
 * running `completion SHELL -- WORDS`.
 */
function completionScript(shell: string, name: string): string {
	const [program = "", ...group] = name.split(" ");
	const call = [...group, "completion", shell, "--"].join(" ");
	if (shell === "fish") {
		const condition = group.map((word) => `-n '__fish_seen_subcommand_from ${word}' `);
		return `# ${name}: completion for fish. Use: ${name} completion fish | source
complete -c ${program} -f ${condition.join("")}-a '(${program} ${call} (commandline -opc)[2..] (commandline -ct))'
`;
	}
	const setUp = shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
	return `# ${name}: completion for ${shell}. Use: eval "$(${name} completion ${shell})"
${setUp}_agent_resort() {
  local found=$("\${COMP_WORDS[0]}" ${call} "\${COMP_WORDS[@]:1:$COMP_CWORD}")
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _agent_resort ${program}
`;
}

/** Returns the candidates for the last word of a command line. `line` does not contain the program's name. */
function candidates(name: string, line: readonly string[], commands: Commands): readonly string[] {
	const group = name.split(" ").slice(1);
	// A line such as `resort serve` is not for this client, whose commands begin with `resort guest`.
	if (group.some((word, at) => line[at] !== word)) return [];
	const before = line.slice(group.length, -1);
	const at = commandIndex(before, commonFlags);
	if (at === -1) return [...Object.keys(commands), "--version"];
	const known = before[at] ?? "";
	const command = Object.hasOwn(commands, known) ? commands[known] : undefined;
	if (command === undefined) return [];
	const flags = { ...command.flags, ...commonFlags };
	const last = before.at(-1) ?? "";
	const flag = last.startsWith("--") ? flags[last.slice(2)] : undefined;
	if (flag?.choices?.length) return flag.choices;
	const names = Object.keys(flags).map((one) => `--${one}`);
	if (at < before.length - 1) return names;
	const { words, choices = /^[a-z|]+$/.test(words) ? words.split("|") : [] } = command;
	return [...choices, ...names];
}

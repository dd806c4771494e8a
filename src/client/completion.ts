import type { Command } from "./command.ts";
import { commonFlags } from "./flags.ts";

/** What completes a command line behind a command, after a certain word; after any other when that is empty. */
type Row = readonly [command: string, before: string, words: readonly string[]];

/**
 * A script that completes the program in a shell. All three read the same table: of a command, what may follow it,
 * what may follow at once, and what may follow each of its flags that has a choice.
 * @param name how the program is called: one word, or two
 */
export function completionScript(
	shell: string,
	name: string,
	commands: Readonly<Record<string, Command>>,
): string {
	const rows = rowsOf(commands);
	if (shell === "fish") return fish(name, rows);
	return shell === "zsh" ? zsh(name, rows) : bash(name, rows);
}

function rowsOf(commands: Readonly<Record<string, Command>>): Row[] {
	const own = Object.entries(commands).flatMap(
		([command, { flags, choices = [] }]): Row[] => {
			const all = { ...flags, ...commonFlags };
			const names = Object.keys(all).map((flag) => `--${flag}`);
			const chosen = Object.entries(flags).flatMap(([flag, one]): Row[] =>
				one.choices?.length ? [[command, `--${flag}`, one.choices]] : [],
			);
			// A choice is made once: it stands right behind the command.
			const first: Row[] =
				choices.length > 0 ? [[command, command, [...choices, ...names]]] : [];
			return [[command, "", names], ...first, ...chosen];
		},
	);
	return [["", "", [...Object.keys(commands), "--version"]], ...own];
}

/** The branches of a `case` over the command and the word before. */
function branches(rows: readonly Row[]): string {
	const sorted = [...rows].sort(([, a], [, b]) => b.length - a.length);
	return sorted
		.map(([command, before, words]) => {
			const pattern =
				before === "" ? `'${command} '*` : `'${command} ${before}'`;
			return `    ${pattern}) found='${words.join(" ")}' ;;`;
		})
		.join("\n");
}

function bash(name: string, rows: readonly Row[]): string {
	const [program = "", ...more] = name.split(" ");
	const at = more.length + 1;
	return `# ${name}: completion for bash. Use: eval "$(${name} completion bash)"
_agent_resort() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command='' found=''
  ${guard(
		more,
		"COMP_WORDS[1]",
		`{ [ "$COMP_CWORD" = 1 ] && [ -n "$current" ] && COMPREPLY=($(compgen -W '${more}' -- "$current")); return 0; }`,
	)}
  [ "$COMP_CWORD" -gt ${at} ] && command=\${COMP_WORDS[${at}]} || before=''
  case "$command $before" in
${branches(rows)}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _agent_resort ${program}
`;
}

function zsh(name: string, rows: readonly Row[]): string {
	const [program = "", ...more] = name.split(" ");
	const at = more.length + 2;
	return `#compdef ${program}
# ${name}: completion for zsh. Use: eval "$(${name} completion zsh)"
_agent_resort() {
  local command='' before=\${words[CURRENT-1]} found=''
  ${guard(
		more,
		"words[2]",
		`{ [ "$CURRENT" = 2 ] && [ -n "\${words[2]}" ] && compadd -- ${more}; return; }`,
	)}
  [ "$CURRENT" -gt ${at} ] && command=\${words[${at}]} || before=''
  case "$command $before" in
${branches(rows)}
  esac
  compadd -- \${=found}
}
compdef _agent_resort ${program}
`;
}

function guard(
	[second]: readonly string[],
	word: string,
	otherwise: string,
): string {
	return second === undefined
		? ":"
		: `[ "\${${word}}" = ${second} ] || ${otherwise}`;
}

function fish(name: string, rows: readonly Row[]): string {
	const [program = "", ...more] = name.split(" ");
	const lines = rows.map(([command, before, words]) => {
		const condition =
			command === ""
				? `test (count (commandline -opc)) -eq ${more.length + 1}`
				: `set -l w (commandline -opc); test "$w[${more.length + 2}]" = ${command}`;
		const here = more.map(
			(word) => `__fish_seen_subcommand_from ${word}; and `,
		);
		const after =
			before === "" ? "" : `; and test (commandline -opc)[-1] = ${before}`;
		return `complete -c ${program} -f -n '${here.join("")}${condition}${after}' -a '${words.join(" ")}'`;
	});
	const first = more.map(
		(word) =>
			`complete -c ${program} -n 'test (count (commandline -opc)) -eq 1' -a ${word}`,
	);
	return `# ${name}: completion for fish. Use: ${name} completion fish | source
${[...first, ...lines].join("\n")}
`;
}

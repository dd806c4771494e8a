import { describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TemporaryFolder } from "../support/folder.ts";
import { runTool, testWith } from "../support/tools.ts";
import { clientHouse, shareOf, wrappings } from "./client.ts";

/** Command lines with an incomplete last word, and the completions of that word. */
const lines: readonly (readonly [line: readonly string[], found: readonly string[]])[] = [
	[["chec"], ["checkin", "checkout"]],
	[["send", "--rec"], ["--recipient-id"]],
	[["experiences", "--sort", "n"], ["newest"]],
	[["wait", "x", "--until", "a"], ["available"]],
	[["call", "rotateA"], ["rotateApiKey"]],
	[["completion", "z"], ["zsh"]],
	[["key", "r"], ["rotate"]],
	[["watch", "--types", "agent.g"], ["agent.gone"]],
	// Only the first argument is completed.
	[["call", "archiveExperience", "getA"], []],
	[["key", "rotate", "ro"], []],
	[["completion", "bash", "zs"], []],
	// Every JavaScript object inherits a property with this name.
	[["constructor", "a"], []],
];

/** The command lines that a wrapping runs, with the name of the program. */
const linesOf = (name: string) => [
	...shareOf(name, lines).map(([line, found]) => [[...name.split(" "), ...line], found] as const),
	...(name.includes(" ") ? ([[["resort", "serve", "checki"], []]] as const) : []),
];

describe.each(wrappings)("the completion of %s", (name, program) => {
	/**
	 * Writes the completion script of a shell to a file, and the program that it calls to a folder of the PATH.
	 */
	async function scriptFor(shell: string, folder: string) {
		using client = clientHouse(program);
		const { exitCode, stdout } = await client.run(["completion", shell]);
		expect(exitCode).toBe(0);
		const path = join(folder, "script");
		writeFileSync(path, stdout);
		const [command = ""] = name.split(" ");
		const start = program.slice(0, name.includes(" ") ? 1 : 2).join(" ");
		const code = `#!/bin/sh\nexec ${start} "$@"\n`;
		writeFileSync(join(folder, command), code, { mode: 0o755 });
		return { path, env: { PATH: `${folder}:${process.env.PATH}` } };
	}

	testWith(["bash"], "works in bash", async () => {
		using folder = new TemporaryFolder();
		const { path, env } = await scriptFor("bash", folder.path);
		for (const [words, found] of linesOf(name)) {
			const code = `. ${path}; COMP_WORDS=("$@"); COMP_CWORD=${words.length - 1}; _agent_resort; echo "\${COMPREPLY[@]}"`;
			const { output } = await runTool("bash", ["--norc", "-c", code, "bash", ...words], env);
			expect(output.trim().split(" ").filter(Boolean)).toEqual([...found]);
		}
	});

	testWith(["zsh"], "works in zsh", async () => {
		using folder = new TemporaryFolder();
		const { path, env } = await scriptFor("zsh", folder.path);
		// Only two lines, because each terminal takes a second.
		const tried = linesOf(name)
			.filter(([, found]) => found.length > 0)
			.slice(-2);
		for (const [words, found] of tried) {
			// A pseudo terminal in which zsh completes the line when the tab key is pressed.
			const begin = `PS1=; autoload -U compinit; compinit -D -u; zstyle ':completion:*' list-prompt ''; . ${path}; echo READY`;
			const code = `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z "$1"; zpty -r -m z got '*READY*READY*'
zpty -w -n z "$2"$'\\t\\t'; for i in {1..100}; do sleep 0.05; while zpty -r -t z got; do out+=$got; done; [[ "$out" == *"$3"* ]] && break; done; print -r -- "$out"`;
			const { output } = await runTool(
				"zsh",
				["-f", "-c", code, "zsh", begin, words.join(" "), found.at(-1) ?? ""],
				env,
			);
			for (const word of found) expect(output.replaceAll("\u0007", "")).toContain(word);
		}
	});

	testWith(["fish"], "works in fish", async () => {
		using folder = new TemporaryFolder();
		const { path, env } = await scriptFor("fish", folder.path);
		for (const [words, found] of linesOf(name)) {
			const typed = words.join(" ");
			const { output } = await runTool(
				"fish",
				["--no-config", "-c", `source ${path}; complete -C '${typed}'`],
				env,
			);
			const shown = output.trim().split("\n");
			const completed = shown.map((one) => one.split("\t")[0]);
			expect(completed.filter(Boolean)).toEqual([...found]);
		}
	});
});

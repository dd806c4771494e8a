import { describe, expect } from "bun:test";
import { chmodSync } from "node:fs";
import { useFreshFolder } from "../support/folder.ts";
import { runTool, testWith } from "../support/tools.ts";
import { clientHouse, shareOf, wrappings } from "./client.ts";

/** Command lines with an incomplete last word, and the completions of that word. */
const lines: readonly (readonly [line: readonly string[], found: readonly string[]])[] = [
	[["chec"], ["checkin", "checkout"]],
	[["send", "--rec"], ["--recipient-id"]],
	[["experiences", "--sort", "n"], ["newest"]],
	[["call", "rotateA"], ["rotateApiKey"]],
	[["key", "r"], ["rotate"]],
	// Only the first argument of `call` is completed.
	[["call", "archiveExperience", "getA"], []],
	// Every JavaScript object inherits a property with this name.
	[["constructor", "a"], []],
];

/** Returns the command lines for one form of the client, each with the name of its program. */
const linesOf = (name: string) => [
	...shareOf(name, lines).map(([line, found]) => [[...name.split(" "), ...line], found] as const),
	...(name.includes(" ") ? ([[["resort", "serve", "checki"], []]] as const) : []),
];

describe.each(wrappings)("the completion of %s", (name, program) => {
	const folder = useFreshFolder();

	/** Writes a shell's completion script to a file, and puts the program that it completes into PATH. */
	async function scriptFor(shell: string) {
		using client = clientHouse(program);
		const { exitCode, stdout } = await client.run(["completion", shell]);
		expect(exitCode).toBe(0);
		const [command = ""] = name.split(" ");
		const start = program.slice(0, name.includes(" ") ? 1 : 2).join(" ");
		chmodSync(folder.write(`#!/bin/sh\nexec ${start} "$@"\n`, command), 0o755);
		return { path: folder.write(stdout, "script"), env: { PATH: `${folder.path}:${process.env.PATH}` } };
	}

	testWith(["bash"], "completes the last word in bash", async () => {
		const { path, env } = await scriptFor("bash");
		for (const [words, found] of linesOf(name)) {
			const code = `. ${path}; COMP_WORDS=("$@"); COMP_CWORD=${words.length - 1}; _agent_resort; echo "\${COMPREPLY[@]}"`;
			const { output } = await runTool("bash", ["--norc", "-c", code, "bash", ...words], env);
			expect(output.trim().split(" ").filter(Boolean)).toEqual([...found]);
		}
	});

	testWith(["zsh"], "completes the last word in zsh", async () => {
		const { path, env } = await scriptFor("zsh");
		// Tests only two command lines, because each terminal takes a second.
		const completed = linesOf(name).filter(([, found]) => found.length > 0);
		for (const [words, found] of completed.slice(-2)) {
			// Opens a pseudo terminal in which zsh completes the line when the tab key is pressed.
			const begin = `PS1=; autoload -U compinit; compinit -D -u; zstyle ':completion:*' list-prompt ''; . ${path}; echo READY`;
			const code = `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z "$1"; zpty -r -m z got '*READY*READY*'
zpty -w -n z "$2"$'\\t\\t'; for i in {1..100}; do sleep 0.05; while zpty -r -t z got; do out+=$got; done; [[ "$out" == *"$3"* ]] && break; done; print -r -- "$out"`;
			const args = ["-f", "-c", code, "zsh", begin, words.join(" "), found.at(-1) ?? ""];
			const { output } = await runTool("zsh", args, env);
			for (const word of found) expect(output.replaceAll("\u0007", "")).toContain(word);
		}
	});

	testWith(["fish"], "completes the last word in fish", async () => {
		const { path, env } = await scriptFor("fish");
		for (const [words, found] of linesOf(name)) {
			const code = `source ${path}; complete -C '${words.join(" ")}'`;
			const { output } = await runTool("fish", ["--no-config", "-c", code], env);
			const completed = output.split("\n").map((one) => one.split("\t")[0]);
			expect(completed.filter(Boolean)).toEqual([...found]);
		}
	});
});

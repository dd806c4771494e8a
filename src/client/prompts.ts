import { Writable } from "node:stream";
import { Failure } from "./client-failure.ts";
import type { System } from "./system.ts";

/** Asks the person on the terminal for a line. @throws Failure with exit code 1 for Ctrl-C or Ctrl-D */
export function askLine(system: System, question: string): Promise<string> {
	return ask(system, question, false);
}

/** Asks for a key and does not show what is typed. */
export function askSecret(system: System, question: string): Promise<string> {
	return ask(system, question, true);
}

async function ask(
	system: System,
	question: string,
	isSecret: boolean,
): Promise<string> {
	const { createInterface } = await import("node:readline/promises");
	let isMuted = false;
	const output = new Writable({
		write(chunk, _, done) {
			if (!isMuted) system.prompt(String(chunk));
			done();
		},
	});
	const input = system.input();
	const lines = createInterface({ input, output, terminal: true });
	const isClosed = new Promise<null>((resolve) =>
		lines.once("close", () => resolve(null)),
	);
	const answered = lines.question(question);
	isMuted = isSecret;
	const answer = await Promise.race([answered, isClosed]);
	lines.close();
	if (isSecret || answer === null) system.report("");
	if (answer === null) throw new Failure("nothing was answered", 1);
	return answer.trim();
}

import { Writable } from "node:stream";
import { Failure } from "./client-failure.ts";
import type { System } from "./system.ts";

/** Asks the person on the terminal for a line. A secret is not shown. @throws Failure with exit code 1 for Ctrl-C and Ctrl-D */
export async function ask(
	system: System,
	question: string,
	isSecret = false,
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

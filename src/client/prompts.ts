import { Writable } from "node:stream";
import { Failure } from "./client-failure.ts";
import type { World } from "./system.ts";

/**
 * Asks somebody on the terminal for a line.
 * @throws Failure with exit code 1 when the question is left with Ctrl-C or Ctrl-D
 */
export function askLine(world: World, question: string): Promise<string> {
	return ask(world, question, false);
}

/** The same for a key: what is typed is not shown. */
export function askSecret(world: World, question: string): Promise<string> {
	return ask(world, question, true);
}

async function ask(
	world: World,
	question: string,
	isSecret: boolean,
): Promise<string> {
	const { createInterface } = await import("node:readline");
	let isAsked = false;
	let isAnswered = false;
	const output = new Writable({
		write(part, _, done) {
			if (!(isSecret && isAsked)) world.prompt(String(part));
			done();
		},
	});
	const lines = createInterface({
		input: world.input(),
		output,
		terminal: true,
	});
	return new Promise((resolve, reject) => {
		lines.once("close", () => {
			if (isSecret || !isAnswered) world.tell("");
			if (!isAnswered) reject(new Failure("nothing was answered", 1));
		});
		lines.question(question, (answer) => {
			isAnswered = true;
			resolve(answer.trim());
			lines.close();
		});
		isAsked = true;
	});
}

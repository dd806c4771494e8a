import { Writable } from "node:stream";
import type { World } from "./world.ts";

/** Asks somebody on the terminal for a line. */
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
	return new Promise((resolve) => {
		lines.once("close", () => resolve(""));
		lines.question(question, (answer) => {
			resolve(answer.trim());
			lines.close();
			if (isSecret) world.tell("");
		});
		isAsked = true;
	});
}

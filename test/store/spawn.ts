import { join } from "node:path";

/** A child program of a test; `await using` ends it when the test has not. */
export class Child implements AsyncDisposable {
	readonly #process;
	readonly #lines: AsyncGenerator<string, void>;

	constructor(task: "hold" | "write", file: string) {
		this.#process = Bun.spawn(
			[process.execPath, join(import.meta.dir, "child.ts"), task, file],
			{ stdout: "pipe", stderr: "inherit" },
		);
		this.#lines = linesOf(this.#process.stdout);
	}

	/** The next whole line that it says; undefined when it has ended. */
	async nextLine(): Promise<string | undefined> {
		const { value } = await this.#lines.next();
		return value ?? undefined;
	}

	/** Kills it with SIGKILL, and gives what it had still said. */
	async kill(): Promise<string[]> {
		this.#process.kill("SIGKILL");
		const rest: string[] = [];
		for await (const line of this.#lines) rest.push(line);
		await this.#process.exited;
		return rest;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#process.kill("SIGKILL");
		await this.#process.exited;
	}
}

async function* linesOf(
	stream: ReadableStream<Uint8Array>,
): AsyncGenerator<string, void> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of stream) {
		text += decoder.decode(chunk, { stream: true });
		const lines = text.split("\n");
		text = lines.pop() ?? "";
		yield* lines;
	}
}

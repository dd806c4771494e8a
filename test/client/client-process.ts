import { join } from "node:path";
import type { Ended } from "../support/executable.ts";

/** The separator that ends the output of each command line. */
export const END = "\0";

/** A command line of the client, and its complete environment. */
export interface ClientLine {
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

/** Runs command lines of the client without input in one process, which is faster than one for each line. */
export class ClientProcess {
	readonly #child = Bun.spawn([process.execPath, join(import.meta.dir, "run-lines.ts")], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		ipc() {},
	});
	readonly #stdout = splitAtEnds(this.#child.stdout);
	readonly #stderr = splitAtEnds(this.#child.stderr);

	async run(args: readonly string[], env: ClientLine["env"]): Promise<Ended> {
		this.#child.send({ args, env } satisfies ClientLine);
		const next = async (parts: AsyncIterator<string, string>) => (await parts.next()).value;
		const [stdout, stderr] = await Promise.all([next(this.#stdout), next(this.#stderr)]);
		return { stdout, stderr, exitCode: Number(await next(this.#stdout)) };
	}

	stop(): void {
		this.#child.kill();
	}
}

/** Yields the text before each {@link END}, and returns the rest: the error if one ended the process. */
async function* splitAtEnds(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, string> {
	let text = "";
	const decoder = new TextDecoder();
	for await (const chunk of stream) {
		const parts = (text + decoder.decode(chunk, { stream: true })).split(END);
		text = parts.pop() ?? "";
		yield* parts;
	}
	return text;
}

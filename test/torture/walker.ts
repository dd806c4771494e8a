import { join } from "node:path";
import type { Order, Walked } from "./walk-round.ts";

/** What a walker's process says: what it has walked, and at the end of a round what failed. */
export type Message =
	| { readonly walked: Walked }
	| { readonly failure: string | null };

/** A process that walks rounds, so that several walk at a time. */
export class Walker implements Disposable {
	readonly #child: Bun.Subprocess;
	#heard: (message: Message) => void = () => {};

	/**
	 * @param program `walk-child.ts`, compiled
	 * @param folder where its databases are
	 */
	constructor(program: string, folder: string) {
		const worker = join(import.meta.dir, "walk-worker.ts");
		this.#child = Bun.spawn([process.execPath, worker, program], {
			env: { ...process.env, TMPDIR: folder },
			// Else Ctrl-C would reach it before the order to stop.
			detached: true,
			stdio: ["ignore", "inherit", "inherit"],
			ipc: (message: Message) => this.#heard(message),
			onExit: (_, exitCode) =>
				this.#heard({ failure: `the walker ended with ${exitCode}` }),
		});
	}

	/**
	 * Walks a round.
	 * @param add takes what was walked since it was called last
	 * @returns what failed, or null
	 */
	walk(order: Order, add: (walked: Walked) => void): Promise<string | null> {
		const { promise, resolve } = Promise.withResolvers<string | null>();
		this.#heard = (message) => {
			if ("walked" in message) add(message.walked);
			else resolve(message.failure);
		};
		this.#child.send(order);
		return promise;
	}

	/** Ends the round that it walks before its time. */
	stop(): void {
		this.#child.send("stop");
	}

	[Symbol.dispose](): void {
		this.#heard = () => {};
		this.#child.kill();
	}
}

/** The most deliveries at a time, and to one host. */
const MAX_AT_ONCE = 20;
const MAX_OF_HOST = 2;

interface Waiting {
	readonly host: string;
	readonly go: () => void;
}

/** Lets so many deliveries through at a time; the others wait in their order. */
export class Slots {
	#taken = 0;
	readonly #ofHost = new Map<string, number>();
	readonly #waiting: Waiting[] = [];

	/**
	 * Runs a task as soon as there is a place for it.
	 * @param host whose places are counted
	 * @param signal ends the waiting
	 * @throws what the task throws, or the signal's reason when the waiting was ended
	 */
	async run<T>(
		host: string,
		signal: AbortSignal,
		task: () => Promise<T>,
	): Promise<T> {
		await this.#take(host, signal);
		try {
			return await task();
		} finally {
			this.#giveBack(host);
		}
	}

	async #take(host: string, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (this.#isFree(host)) {
			this.#count(host, 1);
			return;
		}
		await new Promise<void>((resolve, reject) => {
			const waiting = {
				host,
				go: () => {
					signal.removeEventListener("abort", leave);
					this.#count(host, 1);
					resolve();
				},
			};
			const leave = () => {
				this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
				reject(signal.reason);
			};
			signal.addEventListener("abort", leave, { once: true });
			this.#waiting.push(waiting);
		});
	}

	#giveBack(host: string): void {
		this.#count(host, -1);
		const next = this.#waiting.findIndex((one) => this.#isFree(one.host));
		if (next !== -1) this.#waiting.splice(next, 1)[0]?.go();
	}

	#isFree(host: string): boolean {
		const ofHost = this.#ofHost.get(host) ?? 0;
		return this.#taken < MAX_AT_ONCE && ofHost < MAX_OF_HOST;
	}

	#count(host: string, by: 1 | -1): void {
		this.#taken += by;
		const ofHost = (this.#ofHost.get(host) ?? 0) + by;
		if (ofHost === 0) this.#ofHost.delete(host);
		else this.#ofHost.set(host, ofHost);
	}
}

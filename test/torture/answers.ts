/** The limits beyond which a correct response counts as a failure. */
export interface Limits {
	/** The maximum duration of a call. */
	readonly answerMs: number;
	/** The maximum time from the end of a fault until each instance serves again. */
	readonly returnMs: number;
}

const NO_LIMITS: Limits = { answerMs: Number.POSITIVE_INFINITY, returnMs: Number.POSITIVE_INFINITY };

/** Records the durations of calls, and the times at which instances serve again after a fault. */
export class Answers {
	/** By instance: the time (`performance.now()`) of its first write after the repair of the last fault. */
	readonly #servedAt = new Map<number, number>();
	readonly #failures = new Set<string>();
	#healedAt: number | null = null;
	refused = 0;

	constructor(readonly limits: Limits = NO_LIMITS) {}

	get failures(): readonly string[] {
		return [...this.#failures];
	}

	/** Records a failure, unless the same text is recorded already. */
	fail(what: string): void {
		if (this.#failures.size < 20) this.#failures.add(what);
	}

	record(
		instance: number,
		what: string,
		{ tookMs, status }: { readonly tookMs: number; readonly status: number },
	): void {
		if (status === 503) this.refused++;
		if (tookMs > this.limits.answerMs) {
			this.fail(`${what}: ${status} after ${tookMs.toFixed(0)} ms`);
		}
		const isServed = status < 300 && !what.startsWith("GET");
		if (isServed && this.#healedAt !== null && !this.#servedAt.has(instance)) {
			this.#servedAt.set(instance, performance.now());
		}
	}

	/** Records that the fault is repaired: from now on, all instances should serve again. */
	heal(): void {
		this.#healedAt = performance.now();
		this.#servedAt.clear();
	}

	/** Waits until every instance has accepted a write after the repair. Taking too long is a failure. */
	async allServe(instances: number): Promise<void> {
		const healedAt = this.#healedAt ?? performance.now();
		const endMs = performance.now() + 3 * this.limits.returnMs;
		const all = [...Array(instances).keys()];
		while (!all.every((at) => this.#servedAt.has(at)) && performance.now() < endMs) {
			await Bun.sleep(10);
		}
		for (const at of all) {
			const returnMs = (this.#servedAt.get(at) ?? Infinity) - healedAt;
			if (returnMs > this.limits.returnMs) {
				this.fail(`instance ${at + 1} serves only after ${returnMs} ms`);
			}
		}
	}
}

/** What is a failure, however right the answers are. */
export interface Limits {
	/** The longest time for an answer. */
	readonly answerMs: number;
	/** The longest time from the end of a fault until each instance serves again. */
	readonly returnMs: number;
}

const NO_LIMITS: Limits = {
	answerMs: Number.POSITIVE_INFINITY,
	returnMs: Number.POSITIVE_INFINITY,
};

/** What one instance answered. */
interface Figures {
	answers: number;
	refused: number;
	longestMs: number;
	/** When it first took a write since the fault was healed, by `performance.now()`; null before that. */
	servedAt: number | null;
	/** The longest time from the end of a fault until then. */
	returnMs: number;
}

/** How often the lateness of this program's own timers is looked at. */
const TICK_MS = 20;

/** Notes how long answers took, and how soon instances serve again. */
export class Answers {
	readonly #of = new Map<number, Figures>();
	readonly #failures = new Set<string>();
	readonly #ticks: Timer;
	#healedAt: number | null = null;
	/** The longest time for which this program itself was not run: answers seem later by that. */
	ownDelayMs = 0;

	constructor(readonly limits: Limits = NO_LIMITS) {
		let lastMs = performance.now();
		this.#ticks = setInterval(() => {
			const nowMs = performance.now();
			this.ownDelayMs = Math.max(this.ownDelayMs, nowMs - lastMs - TICK_MS);
			lastMs = nowMs;
		}, TICK_MS).unref();
	}

	/** How many writes and reads were refused with 503. */
	get refused(): number {
		return [...this.#of.values()].reduce((sum, one) => sum + one.refused, 0);
	}

	/** What was wrong with answers so far. */
	get failures(): readonly string[] {
		return [...this.#failures];
	}

	/** Notes something that must not be; the same is noted once. */
	fail(what: string): void {
		if (this.#failures.size < 20) this.#failures.add(what);
	}

	/** Notes an answer. */
	record(
		instance: number,
		what: string,
		{ tookMs, status }: { readonly tookMs: number; readonly status: number },
	): void {
		const figures = this.#figures(instance);
		figures.answers++;
		if (status === 503) figures.refused++;
		figures.longestMs = Math.max(figures.longestMs, tookMs);
		if (tookMs > this.limits.answerMs) {
			this.fail(`${what}: ${status} after ${tookMs.toFixed(0)} ms`);
		}
		const isServed = status < 300 && !what.startsWith("GET");
		if (isServed && figures.servedAt === null && this.#healedAt !== null) {
			figures.servedAt = performance.now();
			const ms = figures.servedAt - this.#healedAt;
			figures.returnMs = Math.max(figures.returnMs, ms);
		}
	}

	/** From now on all instances should serve again. */
	heal(): void {
		this.#healedAt = performance.now();
		for (const figures of this.#of.values()) figures.servedAt = null;
	}

	/** Waits until so many instances have taken a write since the fault was healed; notes those that do not. */
	async allServe(instances: number): Promise<void> {
		const endMs = performance.now() + 3 * this.limits.returnMs;
		const isServed = (at: number) => this.#figures(at).servedAt !== null;
		const all = [...Array(instances).keys()];
		while (!all.every(isServed) && performance.now() < endMs) {
			await Bun.sleep(10);
		}
		for (const at of all) {
			const { returnMs } = this.#figures(at);
			if (!isServed(at)) this.fail(`instance ${at + 1} does not serve again`);
			else if (returnMs > this.limits.returnMs) {
				this.fail(`instance ${at + 1} serves only after ${returnMs} ms`);
			}
		}
	}

	/** Rows of a table, with a value for each instance. */
	rows(): (readonly [string, string])[] {
		const all = [...this.#of].toSorted(([a], [b]) => a - b);
		const row = (label: string, of: (figures: Figures) => number) =>
			[label, all.map(([, f]) => of(f).toFixed(0)).join(" / ")] as const;
		return [
			row("answers, by instance", (f) => f.answers),
			row("of them 503", (f) => f.refused),
			row("longest answer (ms)", (f) => f.longestMs),
			row("first write after the end of a fault (ms)", (f) => f.returnMs),
			["this program was late by (ms)", this.ownDelayMs.toFixed(0)],
		];
	}

	stop(): void {
		clearInterval(this.#ticks);
	}

	#figures(instance: number): Figures {
		const known = this.#of.get(instance);
		if (known !== undefined) return known;
		const figures: Figures = {
			answers: 0,
			refused: 0,
			longestMs: 0,
			servedAt: null,
			returnMs: 0,
		};
		this.#of.set(instance, figures);
		return figures;
	}
}

import { type Clock, MINUTE_MS } from "../../../core/lib/clock.ts";

/** Numbers of calls. */
interface Calls {
	all: number;
	refused: number;
}

const none = (): Calls => ({ all: 0, refused: 0 });

/** The status code if an agent does not have the status that the caller expects. Not a refusal. */
const NOT_EXPECTED = 409;

/** Counts all calls and refused calls of this instance, since its start and in the last complete minute. */
export class CallCounter {
	#minute = 0;
	#current = none();
	#last = none();
	/** The calls since the start. */
	readonly total = none();

	constructor(private readonly clock: Clock) {}

	/** Counts a call by the status of its response. */
	count(status: number): void {
		this.#turn();
		const isRefused = status >= 400 && status !== NOT_EXPECTED;
		for (const calls of [this.#current, this.total]) {
			calls.all++;
			if (isRefused) calls.refused++;
		}
	}

	/** Returns the calls in the last complete minute. */
	get lastMinute(): Readonly<Calls> {
		this.#turn();
		return this.#last;
	}

	#turn(): void {
		const minute = Math.floor(this.clock() / MINUTE_MS);
		if (minute === this.#minute) return;
		this.#last = minute === this.#minute + 1 ? this.#current : none();
		this.#current = none();
		this.#minute = minute;
	}
}

import type { TSchema } from "@sinclair/typebox";
import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { SlidingWindow } from "../lib/sliding-window.ts";
import type { Body } from "./body.ts";
import { type longListOf, renderLong } from "./render.ts";
import { Turns } from "./turns.ts";

/** Lists with more rows are made for one address only so often. */
const LONG_FROM_ROWS = 1_000;
const TIMES = 2;
const WINDOW_MS = SECOND_MS;
const MAX_ADDRESSES = 10_000;

/** For whom a list is made. */
export interface Asker {
	/** The key by which calls are counted. */
	readonly address: () => string;
	readonly nowMs: number;
	readonly isLimited: boolean;
}

/** Makes long lists, one at a time and in short stretches, and for one address only so often. */
export class LongLists {
	readonly #turns = new Turns();
	readonly #window = new SlidingWindow(TIMES, WINDOW_MS, MAX_ADDRESSES);

	/**
	 * Makes the body of an answer with a list.
	 * @throws ResortError `rate_limited` when long ones have been made too often for this address
	 */
	async render(
		schema: TSchema,
		body: object,
		found: NonNullable<ReturnType<typeof longListOf>>,
		{ address, nowMs, isLimited }: Asker,
	): Promise<Body> {
		if (isLimited && found.list.keys.length > LONG_FROM_ROWS) {
			const { admitted, resetSeconds } = this.#window.admit(address(), nowMs);
			if (!admitted) {
				throw new ResortError("rate_limited", "Rate limit exceeded", {
					hint: "Ask for a part of the list with limit and offset, or wait a second.",
					retryAfterSeconds: resetSeconds,
				});
			}
		}
		return renderLong(schema, body, found, this.#turns);
	}
}

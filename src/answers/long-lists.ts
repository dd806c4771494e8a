import type { TSchema } from "@sinclair/typebox";
import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { SlidingWindow } from "../lib/sliding-window.ts";
import type { Input } from "../resort/operation.ts";
import { Body } from "./body.ts";
import { longListOf, renderJson, renderLong } from "./render.ts";
import { Turns } from "./turns.ts";

/** Lists with more rows are made for one address only so often. */
const LONG_FROM_ROWS = 1_000;
const TIMES = 2;
const WINDOW_MS = SECOND_MS;
const MAX_ADDRESSES = 10_000;

/** Makes bodies; long lists one at a time and in short stretches, and for one address only so often. */
export class LongLists {
	readonly #isLimited: boolean;
	readonly #turns = new Turns();
	readonly #window = new SlidingWindow(TIMES, WINDOW_MS, MAX_ADDRESSES);

	/** @param isLimited whether calls of one address are limited */
	constructor(isLimited: boolean) {
		this.#isLimited = isLimited;
	}

	/**
	 * Makes the body of a success.
	 * @param body without `ok`
	 * @throws ResortError `rate_limited` when long lists have been made too often for the address
	 */
	async render(
		schema: TSchema,
		body: object,
		{ address, house }: Pick<Input, "address" | "house">,
	): Promise<Body> {
		const found = longListOf(body);
		if (found === null) return Body.of(renderJson(schema, body));
		if (this.#isLimited && found.list.keys.length > LONG_FROM_ROWS) {
			const { admitted, resetSeconds } = this.#window.admit(
				address(),
				house.clock(),
			);
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

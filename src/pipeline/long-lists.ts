import type { TSchema } from "@sinclair/typebox";
import { type Clock, SECOND_MS } from "../lib/clock.ts";
import { pause } from "../lib/pause.ts";
import { ResortError } from "../lib/resort-error.ts";
import { SlidingWindow } from "../lib/sliding-window.ts";
import type { Input } from "../resort/operation.ts";
import type { LongList } from "../resort/reply.ts";
import type { Store } from "../store/store.ts";
import { Body } from "./body.ts";
import { longListOf, renderJson, renderList } from "./render.ts";
import { Turns } from "./turns.ts";

/** Lists with more rows are long: they are made for one address only so often. */
const LONG_FROM_ROWS = 1_000;

/** To pass over so many rows takes as long as to make such a list. */
const DEEP_FROM_ROWS = 20_000;

const TIMES = 2;
const WINDOW_MS = SECOND_MS;
const MAX_ADDRESSES = 10_000;

/** How many long lists may wait to be made: each takes 0.1 s, and very long ones a second. */
const MAX_WAITING = 50;

/** How many keys are read at a time: some 1 ms, 3 with those of guests. */
const KEYS_AT_ONCE = 1_000;

/** How often the keys are read in pages while the list moves meanwhile; then they are read at one stretch. */
const ATTEMPTS = 3;

/**
 * Makes the bodies of answers with a list in short stretches: one short list at a time, and beside it one long one,
 * so that nobody waits for long lists but those who ask for them.
 */
export class LongLists {
	readonly #store: Store;
	readonly #clock: Clock;
	readonly #isLimited: boolean;
	readonly #short = new Turns();
	readonly #long = new Turns();
	readonly #window = new SlidingWindow(TIMES, WINDOW_MS, MAX_ADDRESSES);

	/** @param isLimited whether calls of one address are limited */
	constructor(store: Store, clock: Clock, isLimited: boolean) {
		this.#store = store;
		this.#clock = clock;
		this.#isLimited = isLimited;
	}

	/**
	 * Makes the body of a success.
	 * @param body without `ok`
	 * @param address gives the key by which limits count the caller's address
	 * @throws ResortError `rate_limited` when long lists have been made too often for this address, or when too many
	 * wait to be made
	 */
	async render(
		schema: TSchema,
		body: object,
		address: Input["address"],
	): Promise<Body> {
		const found = longListOf(body);
		if (found === null) return Body.of(renderJson(schema, body));
		const { list } = found;
		const store = this.#store;
		const isDeep = list.passedOver > DEEP_FROM_ROWS;
		if (isDeep) this.#admit(address);
		const short = await this.#short.take(async () => {
			const keys = await store.read(() => list.keys(0, LONG_FROM_ROWS + 1));
			const isShort = keys.length <= LONG_FROM_ROWS;
			return isShort ? renderList(store, schema, body, found, keys) : null;
		});
		if (short !== null) return short;
		if (!isDeep) this.#admit(address);
		return this.#long.take(async () =>
			renderList(store, schema, body, found, await keysOf(store, list)),
		);
	}

	#admit(address: Input["address"]): void {
		if (!this.#isLimited) return;
		if (this.#long.waiting >= MAX_WAITING) throw tooMany(1);
		const { admitted, resetSeconds } = this.#window.admit(
			address(),
			this.#clock(),
		);
		if (!admitted) throw tooMany(resetSeconds);
	}
}

/**
 * The keys of a whole list, read in pages. Each page begins with the last key before it: another one there tells
 * that the list has moved.
 */
async function keysOf(
	store: Store,
	list: LongList<unknown>,
): Promise<readonly number[]> {
	const read = (from: number, count: number) =>
		store.read(() => list.keys(from, count));
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const keys = [...(await read(0, KEYS_AT_ONCE))];
		let isWhole = keys.length < KEYS_AT_ONCE;
		while (!isWhole) {
			await pause();
			const [last, ...page] = await read(keys.length - 1, KEYS_AT_ONCE);
			if (last !== keys.at(-1)) break;
			keys.push(...page);
			isWhole = page.length < KEYS_AT_ONCE - 1;
		}
		if (isWhole) return keys;
	}
	return read(0, Number.MAX_SAFE_INTEGER);
}

function tooMany(retryAfterSeconds: number): ResortError {
	return new ResortError("rate_limited", "Rate limit exceeded", {
		hint: "Ask for a part of the list with limit and offset, or wait a second.",
		retryAfterSeconds,
	});
}

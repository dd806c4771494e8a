import type { EngineRow } from "../../src/store/store.ts";
import type { Houses } from "../support/postgres/houses.ts";
import type { Answered, Ask } from "../support/resort.ts";
import type { Ledger } from "./events.ts";
import { SeededRandom } from "./random.ts";
import type { Ground } from "./walk.ts";

/** Several instances of a resort, of which a seed chooses who answers each call. */
export class Several implements Ground, Ledger {
	readonly #houses: Houses;
	readonly #dice: SeededRandom;

	/** @param seed a whole number from 0 to 2^32 - 1 */
	constructor(houses: Houses, seed: number) {
		this.#houses = houses;
		this.#dice = new SeededRandom(seed);
	}

	get nowMs(): number {
		return this.#houses.nowMs;
	}

	advance(durationMs: number): void {
		this.#houses.advance(durationMs);
	}

	ask(method: string, path: string, ask?: Ask): Promise<Answered> {
		return this.#houses.at(this.#choose()).ask(method, path, ask);
	}

	host(method: string, path: string, body?: object): Promise<Answered> {
		return this.#houses.at(this.#choose()).host(method, path, body);
	}

	/** Restarts one of them. */
	restart(): Promise<void> {
		return this.#houses.restart(this.#choose());
	}

	sweep(): Promise<void> {
		return this.#houses.sweep();
	}

	rows(text: string): Promise<EngineRow[]> {
		return this.#houses.rows(text);
	}

	#choose(): number {
		return this.#dice.below(this.#houses.all.length);
	}
}

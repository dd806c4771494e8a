import { mapValues } from "../../../../src/core/lib/record.ts";
import type { EngineRow } from "../../../../src/core/store/store.ts";
import type { Answered } from "../../../support/calls.ts";
import { type Setup, TestResort } from "../../../support/resort.ts";
import { useDisposable } from "../../../support/use-disposable.ts";
import { dropDatabase } from "./databases.ts";
import { newDatabase, openPostgres } from "./shared.ts";

/** Options of {@link Houses}: `count` instances (3 by default), each with `connections` connections. */
export interface HousesOptions {
	readonly count?: number;
	readonly connections?: number;
	readonly setup?: Omit<Setup, "database" | "store">;
}

/** Several instances of one resort on one database, with the same clock. */
export class Houses implements AsyncDisposable {
	readonly #all: TestResort[] = [];

	private constructor(
		readonly url: string,
		private readonly options: HousesOptions,
	) {}

	/** Opens instances on a new database. Disposal of the instances drops the database. */
	static async open(options: HousesOptions = {}): Promise<Houses> {
		const houses = new Houses(await newDatabase({ withTables: true }), options);
		const { count = 3, setup = {} } = options;
		for (let at = 0; at < count; at++) {
			houses.#all.push(await houses.#open(setup));
		}
		return houses;
	}

	get all(): readonly TestResort[] {
		return this.#all;
	}

	/** Returns an instance by its index, modulo the number of instances. */
	at(place: number): TestResort {
		return this.#all[place % this.#all.length] as TestResort;
	}

	/** The time that the clocks of all instances show, in milliseconds since the epoch. */
	get nowMs(): number {
		return this.at(0).nowMs;
	}

	advance(durationMs: number): void {
		for (const context of this.#all) context.advance(durationMs);
	}

	/**
	 * Makes `count` concurrent calls, distributed over the instances. A call that waits too long for the
	 * database returns 503, and is repeated.
	 */
	atOnce(
		count: number,
		call: (context: TestResort, at: number, headers: Record<string, string>) => Promise<Answered>,
	): Promise<Answered[]> {
		const untilAnswered = async (at: number, key = crypto.randomUUID()): Promise<Answered> => {
			const headers = { "idempotency-key": key };
			const answered = await call(this.at(at), at, headers);
			return answered.status === 503 ? untilAnswered(at, key) : answered;
		};
		return Promise.all(Array.from({ length: count }, (_, at) => untilAnswered(at)));
	}

	atEach(call: (context: TestResort) => Promise<Answered>): Promise<Answered[]> {
		return Promise.all(this.#all.map((context) => call(context)));
	}

	/** Stops an instance, and replaces it by a new one with empty caches. */
	async restart(place: number): Promise<void> {
		const { nowMs } = this;
		await this.at(place).close();
		const { setup } = this.options;
		this.#all[place] = await this.#open({ ...setup, nowMs });
	}

	async sweep(): Promise<void> {
		await Promise.all(this.#all.map((context) => context.sweep()));
	}

	/** Runs a statement directly in the database, bypassing the services. */
	rows(text: string): Promise<EngineRow[]> {
		return this.at(0).rows(text);
	}

	/** Returns the types of an agent's events, in order. */
	async eventsOf(id: string): Promise<unknown[]> {
		const rows = await this.rows(`SELECT type FROM events WHERE agent_id = '${id}' ORDER BY id`);
		return rows.map(({ type }) => type);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#all.map((context) => context.close()));
		await dropDatabase(this.url);
	}

	async #open(setup: Omit<Setup, "database" | "store">): Promise<TestResort> {
		const { connections } = this.options;
		const store = await openPostgres(this.url, connections);
		return new TestResort({ ...setup, store });
	}
}

/** Counts the responses with each status. */
export function tally(answers: readonly Answered[]): Record<number, number> {
	return mapValues(
		Object.groupBy(answers, ({ status }) => status),
		(some = []) => some.length,
	);
}

/** Opens instances on a new database on the test server for each test, and disposes of them afterwards. */
export function useHouses(options: HousesOptions = {}): Houses {
	return useDisposable(() => Houses.open(options));
}

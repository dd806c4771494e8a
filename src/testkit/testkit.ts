import { type Static, Type } from "@sinclair/typebox";
import { END_OF_TIME_MS, parseTimestamp, SECOND_MS } from "../lib/clock.ts";
import { once } from "../lib/once.ts";
import { ResortError } from "../lib/resort-error.ts";
import { StartError } from "../lib/start-error.ts";
import { Moment, OptionalField } from "../resort/schemas.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { depthOf } from "../store/reference-depth.ts";
import { EXTERNAL_CHANGE } from "../store/store.ts";
import { deleteFrom } from "../store/table-queries.ts";
import * as tables from "../store/tables.ts";
import type { Task } from "../store/task.ts";
import type { FaultInjector } from "./faults.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { CallRecorder } from "./recorded-calls.ts";

/** The parts of an instance that the testkit controls. */
export interface TestkitParts {
	/** The values of `Host` that the test controls accept besides loopback names, in lower case. */
	readonly hosts: readonly string[];
	readonly faults: FaultInjector;
	readonly calls: CallRecorder;
	readonly clock: Pick<
		MovableClock,
		"startMs" | "isFrozen" | "setTo" | "freeze" | "reset"
	>;
	/** Makes the task that inserts the fixtures as of a time; null without fixtures. Throws what makes them impossible. */
	readonly fixtures: ((nowMs: number) => InsertFixtures) | null;
	/** Restores the randomness of the start. */
	readonly restartRandom: () => void;
}

type InsertFixtures = (context: ServiceContext) => Task<void>;

/** The reactions of the application to changes by the testkit. */
export interface TestkitHooks {
	clearLimits(): Promise<void>;
	/** Runs what is due at the new time. */
	clockMoved(): Promise<void>;
}

/** Ten years. */
const MAX_SECONDS = 315_360_000;

/** The body of POST /test/clock: at most one of the first two fields, at least one of the three. */
export const MoveClockBody = Type.Object(
	{
		advanceSeconds: OptionalField(
			Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
		),
		now: OptionalField(Moment),
		frozen: OptionalField(Type.Boolean({ description: "true or false" })),
	},
	{ title: "MoveClock" },
);

/** Deletes all rows, those that refer to other tables first. */
const deletes = once(() =>
	Object.values(tables)
		.toSorted((a, b) => depthOf(b) - depthOf(a))
		.map((table) => deleteFrom(table, undefined)),
);

/** The test controls of an ephemeral instance. */
export class Testkit {
	readonly hosts: TestkitParts["hosts"];
	readonly faults: FaultInjector;
	readonly calls: CallRecorder;
	readonly #context: ServiceContext;
	readonly #parts: TestkitParts;
	readonly #hooks: TestkitHooks;

	constructor(
		context: ServiceContext,
		parts: TestkitParts,
		hooks: TestkitHooks,
	) {
		this.hosts = parts.hosts;
		this.faults = parts.faults;
		this.calls = parts.calls;
		this.#context = context;
		this.#parts = parts;
		this.#hooks = hooks;
	}

	get isFrozen(): boolean {
		return this.#parts.clock.isFrozen;
	}

	/**
	 * Restores the state of the start.
	 * @throws ResortError `invalid` when the fixtures are impossible at the present time; nothing has changed then
	 */
	async reset(): Promise<void> {
		const { clock, restartRandom } = this.#parts;
		const insertFixtures = this.#fixtures();
		const context = this.#context;
		const { store } = context;
		// First: delayed calls would otherwise go on while the transaction waits for its commit.
		this.faults.reset();
		// In one transaction, so that a concurrent write is removed with the rest or happens entirely afterwards.
		await store.write(function* (): Task<void> {
			for (const deleteAll of deletes()) yield* deleteAll(store).run({});
			yield* store.publish(EXTERNAL_CHANGE);
			clock.reset();
			restartRandom();
			if (insertFixtures !== null) yield* insertFixtures(context);
		});
		this.calls.clear();
		await this.#hooks.clearLimits();
		await this.#hooks.clockMoved();
	}

	/**
	 * Moves, freezes or restarts the clock, and ends stays that are overdue at the new time.
	 * @throws ResortError `invalid` for no field, for two times, or for a time after the year 9999
	 */
	async moveClock({
		advanceSeconds,
		now,
		frozen,
	}: Static<typeof MoveClockBody>): Promise<void> {
		const { clock } = this.#parts;
		const isMoved = (advanceSeconds ?? now) != null;
		if (
			(advanceSeconds != null && now != null) ||
			!(isMoved || frozen != null)
		) {
			throw new ResortError(
				"invalid",
				"Give either advanceSeconds or now, or frozen, or one of the two and frozen",
			);
		}
		if (isMoved) {
			const timeMs =
				now == null
					? this.#context.clock() + (advanceSeconds ?? 0) * SECOND_MS
					: parseTimestamp(now);
			if (timeMs === null || timeMs > END_OF_TIME_MS) {
				throw new ResortError(
					"invalid",
					"The clock goes to the year 9999 at most",
				);
			}
			clock.setTo(timeMs);
		}
		if (frozen != null) clock.freeze(frozen);
		await this.#hooks.clockMoved();
	}

	/** The fixtures at a reset, when some absolute times may no longer fit the relative ones. */
	#fixtures(): InsertFixtures | null {
		const { fixtures, clock } = this.#parts;
		try {
			return fixtures?.(clock.startMs) ?? null;
		} catch (error) {
			if (!(error instanceof StartError)) throw error;
			throw new ResortError("invalid", error.message);
		}
	}
}

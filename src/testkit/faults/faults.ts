import { ResortError } from "../../lib/resort-error.ts";
import { WaitSignal } from "../../lib/wait-signal.ts";
import type { Operation } from "../../resort/operation.ts";
import type { Fault, FaultPlan, Faults, Named } from "../../resort/testkit.ts";

/** The most faults that are armed at a time. */
export const MAX_FAULTS = 1_000;

/** The faults of an instance, in memory. */
export class ArmedFaults implements Faults {
	#operations: readonly string[] = [];
	#armed: readonly Fault[] = [];
	#lastId = 0;
	#closeIdle = () => {};
	/** What holds calls up, and whether a reset has ended it. */
	readonly #waiting = new Map<WaitSignal, { isLost: boolean }>();

	get areArmed(): boolean {
		return this.#armed.length > 0;
	}

	get operations(): readonly string[] {
		return this.#operations;
	}

	get willDrop(): boolean {
		return this.#armed.some(({ drop }) => drop);
	}

	/** Says which operations the instance has; those of tests do not fail. */
	know(operations: readonly Operation[]): void {
		this.#operations = operations
			.filter(({ only }) => only !== "controls")
			.map(({ id }) => id);
	}

	/** Says how connections are closed that nobody uses. */
	closeIdleBy(close: () => void): void {
		this.#closeIdle = close;
	}

	arm(plan: FaultPlan, times: number): Fault {
		if (this.#armed.length >= MAX_FAULTS) {
			throw new ResortError(
				"invalid",
				`At most ${MAX_FAULTS} faults are armed at a time`,
				{ hint: "DELETE /test/faults clears them." },
			);
		}
		const id = String(++this.#lastId);
		const fault = { id, ...plan, left: times === 0 ? null : times };
		this.#armed = [...this.#armed, fault];
		// A client repeats a read by itself that fails on a connection which it used before, and shows no failure.
		if (plan.drop) this.#closeIdle();
		return fault;
	}

	list(): readonly Fault[] {
		return this.#armed;
	}

	clear(): void {
		this.#armed = [];
	}

	/** Clears, begins the ids anew, and drops what is held up: it would change what the next test begins with. */
	reset(): void {
		for (const held of this.#waiting.values()) held.isLost = true;
		this.end();
		this.#lastId = 0;
	}

	meet(call: Named): Fault | null {
		const met = this.#armed.find((fault) => isMeant(fault, call));
		if (met === undefined) return null;
		const left = met.left === null ? null : met.left - 1;
		const after = { ...met, left };
		this.#armed = this.#armed.flatMap((fault) => {
			if (fault !== met) return [fault];
			return left === 0 ? [] : [after];
		});
		return after;
	}

	async delay(delayMs: number, signal: AbortSignal): Promise<boolean> {
		const waitSignal = new WaitSignal(delayMs);
		const end = () => waitSignal.end();
		const held = { isLost: false };
		this.#waiting.set(waitSignal, held);
		signal.addEventListener("abort", end);
		if (signal.aborted) end();
		await waitSignal.next();
		signal.removeEventListener("abort", end);
		this.#waiting.delete(waitSignal);
		// Whoever hung up gets nothing done: the call was still on its way.
		return !signal.aborted && !held.isLost;
	}

	/** Holds nobody up any longer. */
	end(): void {
		this.clear();
		for (const patience of this.#waiting.keys()) patience.end();
	}
}

function isMeant(
	{ operation, ids }: Fault,
	{ operation: { id }, params, query }: Named,
): boolean {
	if (operation !== id) return false;
	if (ids === null) return true;
	const inQuery = query.ids?.split(",") ?? [];
	return [...Object.values(params), ...inQuery].some((one) =>
		ids.includes(one.trim().toLowerCase()),
	);
}

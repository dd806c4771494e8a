import type { Logger } from "@logtape/logtape";
import { SECOND_MS } from "../lib/clock.ts";
import { boundsOf, type SpaceBound } from "../store/space.ts";
import type { Store } from "../store/store.ts";

/** The time between two checks: too short for a database to fill the reserve of free disk space. */
const CHECK_MS = SECOND_MS;

/**
 * The fraction of a limit that must be free before a full database accepts rows again. Without this margin,
 * the database could become full and accept rows again at every check.
 */
const MARGIN = 1 / 1_000;

/**
 * Watches whether the database has reached `--max-database`, or the file system has no more free space than
 * the reserve. Measures in the background, so that no call waits.
 */
export class CapacityWatch {
	/** The limits at the last measurement. */
	#bounds: readonly SpaceBound[] = [];
	/** The limit that has been reached; null while rows may be added. */
	full: SpaceBound | null = null;
	#timer: Timer | undefined;

	/** @param maxBytes the value of `--max-database`; 0 means unlimited */
	constructor(
		private readonly store: Pick<Store, "measureSpace" | "isShared">,
		private readonly maxBytes: number,
		private readonly log: Logger,
	) {}

	/** The bytes that may be added before calls that add rows are refused; null without a limit. */
	get leftBytes(): number | null {
		const left = this.#bounds.map(({ leftBytes }) => leftBytes);
		return left.length === 0 ? null : Math.max(0, Math.min(...left));
	}

	/** Measures the database now, and then periodically. */
	async start(): Promise<void> {
		// The disk of a database server cannot be measured, so without `--max-database` there is no limit to
		// check.
		if (this.store.isShared && this.maxBytes === 0) return;
		await this.check();
		let isChecking = false;
		this.#timer = setInterval(async () => {
			// A check takes longer than the interval if a database server does not respond.
			if (isChecking) return;
			isChecking = true;
			await this.check();
			isChecking = false;
		}, CHECK_MS);
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	/**
	 * Measures the database. Logs when the database becomes full, and when it accepts rows again. If the
	 * measurement fails, nothing changes.
	 */
	async check(): Promise<void> {
		try {
			const space = await this.store.measureSpace();
			this.#bounds = boundsOf(space, this.maxBytes);
		} catch {
			return;
		}
		const margin = this.full === null ? 0 : MARGIN;
		const full = this.#bounds.find(({ bytes, leftBytes }) => leftBytes <= bytes * margin) ?? null;
		if (full !== null && this.full === null) {
			const { name, bytes, leftBytes } = full;
			this.log.error("resort full", { bound: name, bytes, leftBytes });
		} else if (full === null && this.full !== null) {
			this.log.warn("resort has room again", { bound: this.full.name });
		}
		this.full = full;
	}
}

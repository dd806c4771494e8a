import { SECOND_MS } from "../lib/clock.ts";
import type { Store } from "./store.ts";

/** A row so large that a full disk has no room for it. */
const row = ["write check", "x".repeat(65_536)] as const;

/**
 * Whether changes can be stored. While no change fails, this costs nothing. After a failed change, callers of
 * {@link passes} write something, at most once a second, until that succeeds.
 */
export class WriteCheck {
	#isFailing = false;
	#triedAtMs = Number.NEGATIVE_INFINITY;
	#trial: Promise<void> = Promise.resolve();

	constructor(private readonly store: Pick<Store, "prepare" | "write">) {}

	/** Called if the database could not store a change. */
	fail(): void {
		this.#isFailing = true;
	}

	async passes(): Promise<boolean> {
		const nowMs = performance.now();
		if (this.#isFailing && nowMs - this.#triedAtMs >= SECOND_MS) {
			this.#triedAtMs = nowMs;
			this.#trial = this.#tryWrite();
		}
		await this.#trial;
		return !this.#isFailing;
	}

	async #tryWrite(): Promise<void> {
		const { store } = this;
		const insert =
			"insert into leases (name, holder, renewals) values (?, ?, 0)";
		const remove = "delete from leases where name = ?";
		try {
			await store.write(function* () {
				yield* store.prepare(insert).run(row);
				yield* store.prepare(remove).run([row[0]]);
			});
			this.#isFailing = false;
		} catch {}
	}
}

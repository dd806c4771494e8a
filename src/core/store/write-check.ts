import { SECOND_MS } from "../lib/clock.ts";
import type { Store } from "./store.ts";

/** The number of random bytes in the row of a check. A full disk has no room for a row of this size. */
const ROW_BYTES = 49_152;

/**
 * Checks whether changes can be stored. After a failed change, {@link passes} writes a row, at most once a
 * second, until a write succeeds.
 */
export class WriteCheck {
	#isFailing = false;
	/** The last attempt to write; null if none has begun in the last second. */
	#trial: Promise<void> | null = null;

	constructor(private readonly store: Pick<Store, "prepare" | "write">) {}

	/** Notes that the database could not store a change. */
	fail(): void {
		this.#isFailing = true;
	}

	async passes(): Promise<boolean> {
		if (!this.#isFailing) return true;
		this.#trial ??= this.#tryWrite();
		await this.#trial;
		return !this.#isFailing;
	}

	async #tryWrite(): Promise<void> {
		setTimeout(() => {
			this.#trial = null;
		}, SECOND_MS).unref();
		const { store } = this;
		const name = "write check";
		// The row contains random bytes, because an engine may compress rows.
		const bytes = crypto.getRandomValues(new Uint8Array(ROW_BYTES));
		const insert = store.prepare("insert into leases (name, holder, renewals) values (?, ?, 0)");
		const remove = store.prepare("delete from leases where name = ?");
		try {
			await store.write(function* () {
				yield* insert.run([name, bytes.toBase64()]);
				yield* remove.run([name]);
			});
			this.#isFailing = false;
		} catch {}
	}
}

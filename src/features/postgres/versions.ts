import { SECOND_MS } from "../../core/lib/clock.ts";
import { type EngineRow, EXTERNAL_CHANGE, type StoreEvent } from "../../core/store/store.ts";
import type { BoundStatement } from "./batch.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { within, withoutDeadline } from "./deadline.ts";
import { schemaVersion } from "./postgres-migrations.ts";
import type { PostgresSession } from "./postgres-session.ts";

/** How long a request waits for the check for changes by other instances. */
const CHECK_MS = SECOND_MS / 2;

/** The slot (row of `heads`) whose `n` is the schema version. In other slots, `n` is a number of events. */
const SCHEMA_SLOT = 0;

/**
 * The maximum length of a slot's events in characters: about 40 events, twice as many as a group publishes.
 * If a row were longer, the server would compress it, or store a part of it outside of the table.
 */
const KEPT_CHARACTERS = 1_900;

/** Selects the slots whose number of events `n` is not the known one. `$1`: the known numbers, by slot. */
const READ = "select slot, n, touches from heads where n is distinct from ($1::bigint[])[slot + 1]";

/** SQL that appends events to a slot that no other transaction has locked, or to a new slot. */
const APPEND = `with free as (
		select slot from heads where slot > ${SCHEMA_SLOT} order by slot limit 1 for no key update skip locked
	), appended as (
		update heads set n = n + $1::bigint, touches = right(touches || $2, ${KEPT_CHARACTERS})
		from free where heads.slot = free.slot returning heads.slot, n
	), added as (
		insert into heads (slot, n, touches) select max(slot) + 1, $1::bigint, right($2, ${KEPT_CHARACTERS}) from heads
		where not exists (select from free) having max(slot) is not null
		on conflict (slot) do update set n = heads.n + excluded.n,
			touches = right(heads.touches || excluded.touches, ${KEPT_CHARACTERS})
		returning slot, n
	) select slot, n from appended union all select slot, n from added`;

/**
 * Detects the changes of other instances. Each transaction appends its events to a slot, a row of the table
 * `heads` with the number of all events in the slot and the newest events. So a program that reads all slots
 * sees every change that was committed before.
 */
export class Versions {
	/** The number of checks, the number of failed checks, and the total duration of all checks. */
	checks = 0;
	failures = 0;
	checkingMs = 0;
	/** How long the first caller of the newest check waited, limited in case the process was suspended. */
	waitedMs = 0;
	/** Whether a newer program version has migrated the database. */
	isOutdated = false;
	readonly #known: number[] = [];
	readonly #listeners: ((event: StoreEvent) => void)[] = [];
	#check = Promise.resolve();
	#nextCheck: Promise<void> | null = null;

	subscribe(listener: (event: StoreEvent) => void): void {
		this.#listeners.push(listener);
	}

	/** Implements {@link Store.checkFreshness}. While a check is running, all callers share the next check. */
	check(pool: ConnectionPool): Promise<void> {
		if (this.#nextCheck !== null) return this.#nextCheck;
		const askedMs = performance.now();
		this.#nextCheck = this.#check.then(() => {
			this.#nextCheck = null;
			this.#check = this.#checkNow(pool, askedMs);
			return this.#check;
		});
		return this.#nextCheck;
	}

	/**
	 * Returns a statement that appends events to a slot. Run it inside the transaction that causes the events,
	 * and call {@link publish} after the commit.
	 */
	append(events: readonly StoreEvent[]): BoundStatement {
		const lines = events.map(({ type, agentId }) => `\n${type} ${agentId ?? ""}`);
		return { text: APPEND, parameters: [events.length, lines.join("")] };
	}

	/**
	 * Publishes events of this instance. If another instance has used the slot since the last {@link check},
	 * the next check publishes the events of both instances, and so the events of this call a second time.
	 * @param appended the row of the statement that appended the events
	 */
	publish(events: readonly StoreEvent[], appended: EngineRow | undefined): void {
		const slot = appended?.slot as number;
		const n = appended?.n as number;
		if (this.#known[slot] === n - events.length) this.#known[slot] = n;
		for (const event of events) this.#publish(event);
	}

	/**
	 * Forgets all known numbers and invalidates all caches. Called when a connection was opened, because it may
	 * lead to a server that replaced another server and lacks changes that are already in the caches.
	 */
	reset(): void {
		this.#known.length = 0;
		this.#publish(EXTERNAL_CHANGE);
	}

	/** Checks now. If the check fails or takes too long, all caches are invalidated. */
	async #checkNow(pool: ConnectionPool, askedMs: number): Promise<void> {
		const startMs = performance.now();
		try {
			const checking = pool.use((session) => this.#refresh(session));
			await within(checking, CHECK_MS);
		} catch {
			this.failures++;
			this.reset();
		} finally {
			this.checks++;
			const endMs = performance.now();
			this.checkingMs += endMs - startMs;
			this.waitedMs = Math.min(endMs - askedMs, 2 * CHECK_MS);
		}
	}

	/** Reads all slots and publishes new events. */
	async #refresh(session: PostgresSession): Promise<void> {
		// PostgreSQL's arrays begin with index 1, so slot 0 has index 1. Unknown slots are NULL.
		const known = Array.from(this.#known);
		const list = known.map((n) => n ?? "NULL").join(",");
		const changed = await session.run(READ, [`{${list}}`]);
		// A number decreases only if the database was replaced by a backup.
		const isBehind = changed.some(({ slot, n }) => (known[slot as number] ?? 0) > (n as number));
		if (isBehind) this.reset();
		for (const { slot, n, touches } of changed) {
			this.#update(slot as number, n as number, touches as string);
		}
	}

	#update(slot: number, n: number, touches: string): void {
		const known = this.#known[slot];
		// {@link publish} may have recorded a change of this instance in the meantime.
		if (known !== undefined && known >= n) return;
		this.#known[slot] = n;
		if (slot === SCHEMA_SLOT) {
			this.isOutdated = n > schemaVersion;
			// Invalidates the caches, because they were filled from the older schema.
			this.#publish(EXTERNAL_CHANGE);
			return;
		}
		const missing = known === undefined ? Number.POSITIVE_INFINITY : n - known;
		// The text before the first line break is empty, or the rest of a truncated event.
		const events = touches.split("\n").slice(1);
		if (missing > events.length) {
			this.#publish(EXTERNAL_CHANGE);
			return;
		}
		for (const event of events.slice(events.length - missing)) {
			const [type = "", agentId = ""] = event.split(" ");
			this.#publish({ type, agentId: agentId === "" ? null : agentId });
		}
	}

	#publish(event: StoreEvent): void {
		withoutDeadline(() => {
			for (const listener of this.#listeners) listener(event);
		});
	}
}

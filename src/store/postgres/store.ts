import { SECOND_MS } from "../../lib/clock.ts";
import { StartError } from "../../lib/start-error.ts";
import {
	type EngineMetric,
	type EngineRow,
	EXTERNAL_CHANGE,
	type Outage,
	type Store,
	type StoreEvent,
	type StoreStatistics,
	type Value,
} from "../store.ts";
import type { QueryResult } from "../task.ts";
import { storageUnavailable } from "../unavailable.ts";
import { type Address, shown } from "./address.ts";
import { Changes } from "./changes.ts";
import type { Connection } from "./connection.ts";
import { Connector } from "./connector.ts";
import { counterOf } from "./counter.ts";
import { inTime, outsideRequests, withDeadline, within } from "./deadline.ts";
import { PostgresFailure, toResortError, Unusable } from "./failures.ts";
import { Heads } from "./heads.ts";
import { metricsOf, Tally } from "./metrics.ts";
import {
	type Migration,
	migrate,
	schemaVersion,
	versionOf,
} from "./migrate.ts";
import { Outages } from "./outages.ts";
import { Pool } from "./pool.ts";
import { announcing, horizon, statementOf, turn } from "./questions.ts";
import { readWith } from "./reading.ts";

/** How long a request waits for a look. */
const LOOK_MS = SECOND_MS / 2;

/**
 * A store on PostgreSQL, which any number of instances serve. A change is one transaction; changes run side by side,
 * and take turns where they must. docs/architecture.md, "Two engines", tells how instances hear of each other.
 */
export class PostgresStore implements Store {
	readonly path: string;
	readonly isShared = true;
	readonly rateLimitCounter = counterOf((text, parameters) =>
		this.query(text, parameters),
	);
	readonly metrics: readonly EngineMetric[];
	readonly #tally = new Tally();
	readonly #outages = new Outages();
	readonly #readers: Pool;
	readonly #changes: Changes;
	readonly #looker: Pool;
	readonly #heads: Heads;
	readonly #listeners: ((news: StoreEvent) => void)[] = [];
	readonly #pending = new Set<Promise<unknown>>();
	#isOutdated = false;
	#running = Promise.resolve();
	#next: Promise<void> | null = null;

	private constructor(address: Address, connections: number) {
		this.path = shown(address);
		const writers = Math.floor(connections / 2);
		const connector = new Connector(address);
		const onSilence = (since: number) => {
			for (const pool of [this.#changes.pool, this.#readers, this.#looker]) {
				pool.doubt(since);
			}
		};
		this.#readers = new Pool(
			connections - writers - 1,
			this.#outages,
			() => connector.open(),
			onSilence,
		);
		const openLooker = async () => {
			const connection = await connector.open();
			this.#heads.forget();
			return connection;
		};
		this.#looker = new Pool(1, this.#outages, openLooker, onSilence);
		const tell = (news: StoreEvent) =>
			outsideRequests(() => {
				for (const listener of this.#listeners) listener(news);
			});
		this.#heads = new Heads(tell, (version) => {
			this.#isOutdated = version > schemaVersion;
			// What is kept ready was read of the older schema.
			tell(EXTERNAL_CHANGE);
		});
		this.#changes = new Changes(
			writers,
			this.#outages,
			() => connector.open({ isHeldUp: (id) => this.#isHeldUp(id) }),
			this.#heads,
			this.#tally,
			onSilence,
		);
		this.metrics = metricsOf({
			store: this,
			tally: this.#tally,
			outages: this.#outages,
			pools: {
				write: this.#changes.pool,
				read: this.#readers,
				look: this.#looker,
			},
		});
	}

	/**
	 * Opens a database, and brings it to the newest schema.
	 * @param connections all that this instance opens, at least 4
	 * @throws StartError when it cannot be reached, refuses the login, is of a newer version or not a resort's
	 */
	static async open(
		address: Address,
		connections: number,
	): Promise<{ store: PostgresStore; migration: Migration | null }> {
		const store = new PostgresStore(address, connections);
		try {
			const migration = await migrateAt(address);
			await Promise.all([
				store.#changes.start(),
				store.#readers.start(),
				store.#looker.start(),
			]);
			await store.checkFreshness();
			return { store, migration };
		} catch (error) {
			await store.close();
			const isKnown =
				error instanceof PostgresFailure || error instanceof Unusable;
			if (!isKnown) throw error;
			throw new StartError(
				`cannot use the database ${store.path}: ${error.message}`,
				1,
			);
		}
	}

	get statistics(): StoreStatistics {
		return {
			pending: this.#pending.size,
			commits: this.#changes.commits,
			committedChanges: this.#changes.commits,
		};
	}

	readonly prepare = statementOf;
	readonly publish = announcing;
	readonly eventWatermarks = horizon;

	/** The server's files are the server's, as docs/admin.md says. */
	async scrub(): Promise<void> {}

	readonly lock = turn;

	subscribe(listener: (news: StoreEvent) => void): void {
		this.#listeners.push(listener);
	}

	onOutage(listener: (outage: Outage) => void): void {
		this.#outages.listen(listener);
	}

	readonly withDeadline = withDeadline;
	readonly withoutDeadline = outsideRequests;

	read<T>(task: () => QueryResult<T>): T | Promise<T> {
		try {
			const value = readWith(task, () => this.#reader());
			return value instanceof Promise
				? inTime(value).catch((error) => {
						throw toResortError(error);
					})
				: value;
		} catch (error) {
			throw toResortError(error);
		}
	}

	write<T>(task: () => QueryResult<T>): Promise<T> {
		const changing = this.#change(task);
		this.#pending.add(changing);
		const done = () => this.#pending.delete(changing);
		changing.then(done, done);
		return changing;
	}

	/** Other instances read it too, so it is a change like all others. */
	writeUnsynced<T>(task: () => QueryResult<T>): Promise<T> {
		return this.write(task);
	}

	/** A look that is asked for while another one is on its way begins after it; all who ask meanwhile share it. */
	checkFreshness(): Promise<void> {
		this.#next ??= this.#running.then(() => {
			this.#next = null;
			this.#running = this.#lookNow();
			return this.#running;
		});
		return this.#next;
	}

	/**
	 * Asks one question past all rules, with `$1` and so on.
	 * @throws ResortError `unavailable`, PostgresFailure
	 */
	async query(
		text: string,
		parameters: readonly (Value | readonly Value[])[],
	): Promise<EngineRow[]> {
		return inTime(this.#reader().query(text, parameters));
	}

	async isReadable(): Promise<boolean> {
		try {
			await this.query("select 1 from heads where slot = 0", []);
			return true;
		} catch {
			return false;
		}
	}

	async close(): Promise<void> {
		await Promise.allSettled(this.#pending);
		for (const one of [this.#changes, this.#readers, this.#looker]) one.close();
	}

	/** @throws ResortError when a newer version has changed the schema, PostgresFailure when no connection is open */
	#reader(): Connection {
		this.#requireSchema();
		return this.#readers.shared();
	}

	#requireSchema(): void {
		if (!this.#isOutdated) return;
		throw storageUnavailable(
			new Error("a newer version of resort has migrated the database"),
		);
	}

	async #change<T>(task: () => QueryResult<T>): Promise<T> {
		this.#requireSchema();
		return this.#changes.run(task);
	}

	/** Whether a server process waits for a standby to confirm its commit. */
	async #isHeldUp(processId: number): Promise<boolean> {
		const rows = await this.#readers
			.shared()
			.query(
				"select 1 from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'",
				[processId],
			);
		return rows.length > 0;
	}

	/** When it fails, or takes too long, nothing that is kept can be vouched for. */
	async #lookNow(): Promise<void> {
		const startedAt = performance.now();
		try {
			await within(this.#heads.look(this.#looker.shared()), LOOK_MS);
		} catch {
			this.#tally.failedLooks++;
			this.#heads.forget();
		} finally {
			this.#tally.looks++;
			this.#tally.lookMs += performance.now() - startedAt;
		}
	}
}

/** Migrations alone may take as long as they need: a server that stops to answer must not hold up a start. */
async function migrateAt(address: Address): Promise<Migration | null> {
	const connector = new Connector(address);
	const quick = await connector.open();
	try {
		const version = await versionOf((text) => quick.script(text));
		if (version === schemaVersion) return null;
	} catch (error) {
		// Another program has locked the tables, as a copy does: it is waited for.
		const isLocked = error instanceof PostgresFailure && error.isLocked;
		if (!isLocked) throw error;
	} finally {
		quick.close();
	}
	const patient = await connector.open({ isPatient: true });
	try {
		const migration = await migrate((text) => patient.script(text));
		return migration === null || migration.from === 0 ? null : migration;
	} finally {
		patient.close();
	}
}

import { EXTERNAL_CHANGE, type StoreEvent } from "../store.ts";
import type { Connection } from "./connection.ts";
import { Unusable } from "./failures.ts";

/** The slot whose number is the version of the schema. */
const SCHEMA_SLOT = 0;

/** How many characters of news a slot keeps: some 20 pieces. */
const KEPT_CHARACTERS = 1_000;

/** The most connections that write, over all instances. */
const MAX_SLOTS = 1_000;

/** The namespace of the advisory locks that say whose a slot is. */
const SLOT_LOCKS = 7_351_206;

/** Only the slots that differ from what is known: the known numbers come as an array by slot. */
const LOOK = `select slot, n, touches from heads where n is distinct from ($1::bigint[])[slot + 1]`;

const MOVE = `update heads set n = n + $2::bigint, touches = right(touches || $3, ${KEPT_CHARACTERS}) where slot = $1 returning n`;

const TAKE = `select slot from generate_series(1, ${MAX_SLOTS}) as slot where pg_try_advisory_lock(${SLOT_LOCKS}, slot) limit 1`;

/** Nobody waits for the disk or a standby here: a crash ends the connection, and the next one adds the row again. */
const ADD = `insert into heads (slot, n, touches) select $1::int, 0, '' from set_config('synchronous_commit', 'off', true) on conflict do nothing`;

const TAKEN = `select count(*) as slots from pg_locks where locktype = 'advisory' and objsubid = 2
	and classid::bigint = ${SLOT_LOCKS} and database = (select oid from pg_database where datname = current_database())`;

/** How many slots instances have just now: each has one for every connection that writes. */
export async function countTakenSlots(connection: Connection): Promise<number> {
	const [row] = await connection.query(TAKEN, []);
	return row?.slots as number;
}

/**
 * How instances hear of each other's changes. Each connection that writes has a slot: a row with the number of its
 * news and the last of them, which it moves in the transaction of the change. So whoever looks at all slots knows of
 * every change that was committed before.
 */
export class Heads {
	readonly #known: number[] = [];
	readonly #tell: (news: StoreEvent) => void;
	readonly #onSchema: (version: number) => void;

	/**
	 * @param tell is told the news of others
	 * @param onSchema is told the version of the schema when it changes
	 */
	constructor(
		tell: (news: StoreEvent) => void,
		onSchema: (version: number) => void,
	) {
		this.#tell = tell;
		this.#onSchema = onSchema;
	}

	/** Takes a slot that nobody has, as long as the connection is open. */
	static async take(connection: Connection): Promise<number> {
		const [row] = await connection.query(TAKE, []);
		if (row === undefined) {
			throw new Unusable(
				`it has ${MAX_SLOTS} connections that write, over all instances: no more are possible`,
			);
		}
		const slot = row.slot as number;
		await connection.query(ADD, [slot]);
		return slot;
	}

	/**
	 * Adds the news of a change, inside its transaction.
	 * @returns the number of the slot's news with them
	 */
	static async move(
		connection: Connection,
		slot: number,
		news: readonly StoreEvent[],
	): Promise<number> {
		const [row] = await connection.query(MOVE, [
			slot,
			news.length,
			news.map(({ type, agentId }) => `\n${type} ${agentId ?? ""}`).join(""),
		]);
		return row?.n as number;
	}

	/**
	 * Tells the news of an own change that was committed, before its caller hears of it. Where others have moved the
	 * slot since it was last looked at, the next look tells their news, and these once more.
	 */
	hear(slot: number, n: number, news: readonly StoreEvent[]): void {
		if (this.#known[slot] === n - news.length) this.#known[slot] = n;
		for (const one of news) this.#tell(one);
	}

	/** Looks at all slots, and tells what is new. */
	async look(connection: Connection): Promise<void> {
		// An array of the server begins with 1; slots that are not known are null.
		const known = Array.from(this.#known);
		const list = known.map((n) => n ?? "NULL").join(",");
		const moved = await connection.query(LOOK, [`{${list}}`]);
		// Numbers only rise: a back-up was put in the place of the database.
		const isBehind = moved.some(
			({ slot, n }) => (known[slot as number] ?? 0) > (n as number),
		);
		if (isBehind) this.forget();
		for (const { slot, n, touches } of moved) {
			this.#notice(slot as number, n as number, touches as string);
		}
	}

	/** Knows nothing any more: a server that took another's place may lack what that one told. */
	forget(): void {
		this.#known.length = 0;
		this.#tell(EXTERNAL_CHANGE);
	}

	#notice(slot: number, n: number, touches: string): void {
		const known = this.#known[slot];
		// An own change may have been heard of while this look was on its way.
		if (known !== undefined && known >= n) return;
		this.#known[slot] = n;
		if (slot === SCHEMA_SLOT) {
			this.#onSchema(n);
			return;
		}
		const missed = known === undefined ? Number.POSITIVE_INFINITY : n - known;
		// The first piece may have been cut.
		const news = touches.split("\n").slice(1);
		if (missed > news.length) {
			this.#tell(EXTERNAL_CHANGE);
			return;
		}
		for (const one of news.slice(news.length - missed)) {
			const [type = "", agentId = ""] = one.split(" ");
			this.#tell({ type, agentId: agentId === "" ? null : agentId });
		}
	}
}

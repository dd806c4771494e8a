import { StartError } from "../../../lib/start-error.ts";
import {
	type CopiedTable,
	copiedTables,
	list,
} from "../../copy/copied-tables.ts";
import type { Row, Target } from "../../copy/place.ts";
import type { Address } from "../address.ts";
import { PostgresFailure } from "../failures.ts";
import { wholeSchema } from "../migrate.ts";
import { PostgresPlace } from "./place.ts";
import { setAside } from "./schema.ts";

/** An empty PostgreSQL database. All is written in one transaction, its schema too when there is none. */
export class PostgresTarget implements Target {
	readonly path: string;
	readonly #place: PostgresPlace;
	readonly #putBack: string;

	/** @param putBack the statements that make what was set aside */
	private constructor(place: PostgresPlace, putBack: string) {
		this.path = place.path;
		this.#place = place;
		this.#putBack = putBack;
	}

	/**
	 * Opens a database.
	 * @param signal as {@link PostgresPlace.open}
	 * @throws StartError when it is served, not empty, or of another version; PostgresFailure
	 */
	static async open(
		address: Address,
		signal: AbortSignal,
	): Promise<PostgresTarget> {
		const place = await PostgresPlace.open(address, signal);
		try {
			await place.connection.begin();
			if (place.version === 0) await place.connection.script(wholeSchema);
			await place.lockTables("access exclusive");
			await requireEmpty(place);
			return new PostgresTarget(place, await setAside(place.connection));
		} catch (error) {
			place.close();
			throw error;
		}
	}

	/** The quickest way to insert many rows: jsonb, and an array of each column, take longer. */
	async add(
		{ name, columns }: CopiedTable,
		_rows: readonly Row[],
		json: string,
	): Promise<void> {
		const names = list(columns.map((column) => column.name));
		await this.#place.connection.query(
			`insert into "${name}" (${names}) select ${names} from json_populate_recordset(null::"${name}", $1::text::json)`,
			[json],
		);
	}

	/** The statistics are for those who ask questions of their own: the server would make them only after a while. */
	async complete(): Promise<void> {
		const names = copiedTables.map(({ name }) => name);
		await this.#place.connection.script(
			`${this.#putBack};\nanalyze ${list(names)}`,
		);
	}

	rows(table: CopiedTable) {
		return this.#place.rows(table);
	}

	lastEventId(): Promise<number> {
		return this.#place.lastEventId();
	}

	/** Sequences do not go back with their transaction: this is the last thing before it is kept. */
	async countFrom(lastEventId: number): Promise<void> {
		const { connection } = this.#place;
		for (const { name, counter } of copiedTables) {
			// Events have a sequence that is not the table's own.
			if (counter === null || name === "events") continue;
			await connection.query(
				`select setval(pg_get_serial_sequence('${name}', '${counter}'), coalesce(max("${counter}"), 0) + 1, false) from "${name}"`,
				[],
			);
		}
		await connection.query("select setval('event_ids', $1)", [lastEventId]);
	}

	async keep(): Promise<void> {
		const { connection } = this.#place;
		try {
			await connection.commit();
		} catch (error) {
			if (!(error instanceof PostgresFailure) || error.state !== "")
				throw error;
			throw new StartError(
				`the connection was lost at the commit: the database ${this.path} is whole or as it was before; give it as TO once more, which is refused when it is whole`,
				1,
			);
		}
	}

	async close(): Promise<void> {
		this.#place.close();
	}
}

async function requireEmpty({
	path,
	connection,
}: PostgresPlace): Promise<void> {
	for (const { name } of copiedTables) {
		const rows = await connection.query(`select 1 from "${name}" limit 1`, []);
		if (rows.length === 0) continue;
		throw new StartError(
			`the database ${path} is not empty: table ${name} has rows; give an empty one`,
			1,
		);
	}
}

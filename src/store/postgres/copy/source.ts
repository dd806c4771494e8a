import { StartError } from "../../../lib/start-error.ts";
import type { CopiedTable } from "../../copy/copied-tables.ts";
import type { Source } from "../../copy/place.ts";
import type { Address } from "../address.ts";
import { PostgresPlace } from "./place.ts";

/** A PostgreSQL database of a resort that nobody serves; until it is closed nobody can write to it. */
export class PostgresSource implements Source {
	readonly path: string;
	readonly #place: PostgresPlace;

	private constructor(place: PostgresPlace) {
		this.path = place.path;
		this.#place = place;
	}

	/**
	 * Opens a database.
	 * @param signal as {@link PostgresPlace.open}
	 * @throws StartError when it is served, empty, not a resort's, or of another version; PostgresFailure
	 */
	static async open(
		address: Address,
		signal: AbortSignal,
	): Promise<PostgresSource> {
		const place = await PostgresPlace.open(address, signal);
		try {
			if (place.version === 0) {
				throw new StartError(`the database ${place.path} is empty`, 1);
			}
			// Its locks come before its first look at the rows, so that all of them are read as they are then.
			await place.connection.script("begin isolation level repeatable read");
			await place.lockTables("share");
			return new PostgresSource(place);
		} catch (error) {
			place.close();
			throw error;
		}
	}

	rows(table: CopiedTable) {
		return this.#place.rows(table);
	}

	lastEventId(): Promise<number> {
		return this.#place.lastEventId();
	}

	async close(): Promise<void> {
		this.#place.close();
	}
}

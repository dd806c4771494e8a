import type { Address } from "./address.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

/** Opens connections to whichever host of an address takes writes. */
export class Connector {
	readonly #address: Address;
	/** The place of the host that took the last connection: it is tried first, because one that is away costs time. */
	#at = 0;

	constructor(address: Address) {
		this.#address = address;
	}

	/**
	 * Connects to the first host that takes writes, beginning with the one that did so the last time.
	 * @throws PostgresFailure of the last host
	 */
	async open(options: ConnectionOptions = {}): Promise<Connection> {
		const { hosts } = this.#address;
		const first = this.#at;
		let failure: unknown = null;
		for (let tried = 0; tried < hosts.length; tried++) {
			const at = (first + tried) % hosts.length;
			const host = hosts[at] ?? hosts[0];
			try {
				const connection = await Connection.open(this.#address, host, options);
				this.#at = at;
				return connection;
			} catch (error) {
				failure = error;
			}
		}
		throw failure;
	}
}

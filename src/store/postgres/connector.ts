import type { Address } from "./address.ts";
import { Connection, type ConnectionOptions, nameOf } from "./connection.ts";
import { PostgresFailure } from "./failures.ts";

/** After so long without an answer of a host the next one is tried beside it: a machine that is gone never answers. */
const PATIENCE_MS = 200;

/** Opens connections to whichever host of an address takes writes. */
export class Connector {
	readonly #address: Address;
	/** The place of the host that took the last connection. */
	#at = 0;

	constructor(address: Address) {
		this.#address = address;
	}

	/**
	 * Connects to the first host that takes writes, beginning with the one that did so the last time.
	 * @throws PostgresFailure of all hosts that failed
	 */
	async open(options: ConnectionOptions = {}): Promise<Connection> {
		const { hosts } = this.#address;
		const first = this.#at;
		const attempts: Promise<void>[] = [];
		let taken: Connection | null = null;
		/** In the order in which the hosts were tried. */
		const failures: [string, PostgresFailure][] = [];
		const attempt = async (tried: number) => {
			const at = (first + tried) % hosts.length;
			const host = hosts[at] ?? hosts[0];
			try {
				const connection = await Connection.open(this.#address, host, options);
				if (taken === null) {
					taken = connection;
					this.#at = at;
				} else connection.close();
			} catch (error) {
				if (!(error instanceof PostgresFailure)) throw error;
				failures[tried] = [nameOf(host), error];
				throw error;
			}
		};
		for (let tried = 0; tried < hosts.length && taken === null; tried++) {
			const attempting = attempt(tried);
			attempts.push(attempting);
			const opening = Promise.any(attempts).catch(() => {});
			const isLast = tried === hosts.length - 1;
			await (isLast ? opening : Promise.race([opening, pause()]));
		}
		if (taken === null) throw PostgresFailure.ofAll(failures);
		return taken;
	}
}

function pause(): Promise<void> {
	return Bun.sleep(PATIENCE_MS);
}

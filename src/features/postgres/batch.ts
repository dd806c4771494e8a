import { type Connection, Query, types } from "pg";
import type { EngineRow, Value } from "../../core/store/store.ts";

/** A statement in PostgreSQL's SQL, with the values of its parameters `$1` and so on. */
export interface BoundStatement {
	readonly text: string;
	readonly parameters: readonly (Value | readonly (string | number)[])[];
}

/** The result of a statement. */
export interface StatementResult {
	readonly rows: EngineRow[];
	readonly hasWritten: boolean;
}

/** The columns of a statement's rows: their names, and functions that read their values. */
type Columns = readonly { readonly name: string; readonly read: (text: string) => unknown }[];

const HAS_WRITTEN = /^(?:INSERT 0|UPDATE|DELETE) [1-9]/;

/**
 * Statements that run in one round trip; each is prepared on its first use. If one fails, the server skips
 * the later ones. The library `pg` calls the methods of this class in place of its own query class, which
 * sends one statement at a time, and requests the columns of the result each time.
 */
export class Batch extends Query {
	/** The results in order. Rejects with the error of the first statement that failed. */
	readonly results: Promise<readonly StatementResult[]>;
	readonly #results: StatementResult[] = [];
	#rows: EngineRow[] = [];

	/** @param prepared the texts of the statements that the connection has prepared, with their columns */
	constructor(
		private readonly statements: readonly BoundStatement[],
		private readonly prepared: Map<string, Columns>,
	) {
		const { promise, resolve, reject } = Promise.withResolvers<readonly StatementResult[]>();
		super("", (error) => {
			if (!error) return resolve(this.#results);
			// The server may not have prepared the statements that failed or were skipped. Forgets all
			// statements, so that each is prepared again on its next use.
			this.prepared.clear();
			reject(error);
		});
		this.results = promise;
	}

	override readonly submit = (connection: Connection): void => {
		for (const { text, parameters } of this.statements) {
			const name = nameOf(text);
			if (!this.prepared.has(text)) {
				// Closes the prepared statement first, because the server may still have it from a failed batch.
				connection.close({ type: "S", name }, true);
				connection.parse({ name, text, types: [] }, true);
				connection.describe({ type: "S", name }, true);
				this.prepared.set(text, []);
			}
			const values = parameters.map(encode);
			connection.bind({ statement: name, values }, true);
			connection.execute({}, true);
		}
		connection.sync();
	};

	handleRowDescription(message: {
		readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
	}): void {
		const columns = message.fields.map(({ name, dataTypeID }) => ({
			name,
			read: types.getTypeParser(dataTypeID),
		}));
		this.prepared.set(this.#current.text, columns);
	}

	handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
		const row: EngineRow = {};
		const columns = this.prepared.get(this.#current.text) ?? [];
		for (const [at, { name, read }] of columns.entries()) {
			const text = fields[at] ?? null;
			row[name] = text === null ? null : read(text);
		}
		this.#rows.push(row);
	}

	handleCommandComplete({ text }: { readonly text: string }): void {
		this.#results.push({ rows: this.#rows, hasWritten: HAS_WRITTEN.test(text) });
		this.#rows = [];
	}

	get #current(): BoundStatement {
		return this.statements[this.#results.length] as BoundStatement;
	}
}

const names = new Map<string, string>();

function nameOf(text: string): string {
	return names.getOrInsertComputed(text, () => `resort_${names.size}`);
}

/**
 * Converts a value to PostgreSQL's text format; bytes are sent as they are. Replaces NUL, which PostgreSQL
 * refuses in texts, by U+FFFD, so that a search for a text with NUL finds nothing instead of failing.
 */
function encode(value: BoundStatement["parameters"][number]): string | Buffer | null {
	if (value === null) return null;
	if (value instanceof Uint8Array) return Buffer.from(value);
	const text = typeof value === "object" ? encodeArray(value) : String(value);
	return text.replaceAll("\0", "\uFFFD");
}

function encodeArray(values: readonly (string | number)[]): string {
	const items = values.map((value) => `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`);
	return `{${items.join()}}`;
}

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
	/** Whether the statement has inserted, updated or deleted a row. */
	readonly hasWritten: boolean;
}

/** The columns of a statement's rows: their names, and functions that read their values. */
type Columns = readonly { readonly name: string; readonly read: (text: string) => unknown }[];

/** Matches the command tag of a statement that has written rows. */
const HAS_WRITTEN = /^(?:INSERT 0|UPDATE|DELETE) [1-9]/;

/**
 * Statements that are sent together and run in one round trip. Each statement is prepared on its first use.
 * If a statement fails, the server skips the later statements. This class replaces the query class of the
 * library `pg`, which sends a single statement and requests its columns each time. The library calls the
 * methods of this class.
 */
export class Batch extends Query {
	/**
	 * The results in the order of the statements. Rejects with the error of the first statement that failed.
	 */
	readonly results: Promise<readonly StatementResult[]>;
	readonly #results: StatementResult[] = [];
	#rows: EngineRow[] = [];
	/** The statements that this batch prepares. */
	readonly #added = new Set<string>();

	/** @param prepared the statements that are prepared on the connection, with their columns */
	constructor(
		private readonly statements: readonly BoundStatement[],
		private readonly prepared: Map<string, Columns>,
	) {
		const { promise, resolve, reject } = Promise.withResolvers<readonly StatementResult[]>();
		super("", (error) => {
			if (!error) return resolve(this.#results);
			this.#forgetUnprepared();
			reject(error);
		});
		this.results = promise;
	}

	override readonly submit = (connection: Connection): void => {
		for (const { text, parameters } of this.statements) {
			const name = nameOf(text);
			if (!this.prepared.has(text)) {
				// Closes the prepared statement first, because the server may still know it from a batch that failed.
				connection.close({ type: "S", name }, true);
				connection.parse({ name, text, types: [] }, true);
				connection.describe({ type: "S", name }, true);
				this.prepared.set(text, []);
				this.#added.add(text);
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

	/** The statement whose result is arriving. */
	get #current(): BoundStatement {
		return this.statements[this.#results.length] as BoundStatement;
	}

	/**
	 * Forgets the added statements that failed or were skipped, because the server may not have prepared them.
	 */
	#forgetUnprepared(): void {
		for (const { text } of this.statements.slice(this.#results.length)) {
			if (this.#added.has(text)) this.prepared.delete(text);
		}
	}
}

const names = new Map<string, string>();

/** Returns the name under which a statement is prepared. */
function nameOf(text: string): string {
	const name = names.get(text) ?? `resort_${names.size}`;
	names.set(text, name);
	return name;
}

/**
 * Converts a value to PostgreSQL's text format; bytes are sent as they are. Replaces NUL by U+FFFD, because
 * PostgreSQL refuses NUL in texts. Stored texts never contain NUL, so only searches need the replacement:
 * without it, a search for a text with NUL would fail instead of finding nothing.
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

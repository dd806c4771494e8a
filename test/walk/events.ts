import type { EngineRow } from "../../src/store/store.ts";
import { difference } from "./expected.ts";

/** An event as the resort keeps it: docs/decisions.md, "Events". */
export interface Told {
	readonly type: string;
	/** The moment that it tells of, in milliseconds since the epoch. */
	readonly at: number;
	readonly agentId: string;
	readonly recipientId: string | null;
	readonly subjectId: string | null;
	readonly details: object | null;
}

/** Where a resort writes down what happened. */
export interface Ledger {
	/** Ends the stays that have passed the longest stay allowed. */
	sweep(): Promise<void>;
	/** Asks any statement of the database, past the rules. */
	rows(text: string): Promise<EngineRow[]>;
}

/** The events of a ledger, each read once. */
export class Reader {
	#lastId = 0;

	/** Those that were written since the last time, in the order of their ids. */
	async read(ledger: Ledger): Promise<Told[]> {
		const rows = await ledger.rows(
			`SELECT id, type, at, agent_id, recipient_id, subject_id, details FROM events WHERE id > ${this.#lastId} ORDER BY id`,
		);
		this.#lastId = Number(rows.at(-1)?.id ?? this.#lastId);
		return rows.map((row) => ({
			type: row.type as string,
			at: row.at as number,
			agentId: row.agent_id as string,
			recipientId: row.recipient_id as string | null,
			subjectId: row.subject_id as string | null,
			details: row.details === null ? null : JSON.parse(row.details as string),
		}));
	}
}

/**
 * Compares what happened to each agent, in its order. Changes of several agents at the same time have no order among
 * each other.
 * @returns where the first difference is and how, or null
 */
export function unlikeEvents(
	expected: readonly Told[],
	actual: readonly Told[],
): string | null {
	return difference(byAgent(expected), byAgent(actual), "events");
}

function byAgent(events: readonly Told[]): Record<string, Told[]> {
	const lists: Record<string, Told[]> = {};
	for (const event of events) {
		lists[event.agentId] ??= [];
		lists[event.agentId]?.push(event);
	}
	return lists;
}

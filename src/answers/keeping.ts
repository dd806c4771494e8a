import type { Changes, Topic } from "../store/changes.ts";

/** How an answer that may be kept came to be; its handler says what it knows of its end. */
export class Keeping {
	/** When what the answer tells changes by time alone, in milliseconds since the epoch. */
	untilMs: number = Number.POSITIVE_INFINITY;
	/** A text of the answer that is another one each time, and what makes the next one. */
	drawn: { readonly text: string; readonly draw: () => string } | null = null;
	/** The query of a document that is one of its own; other queries are not kept. */
	search = "";
	readonly fromMs: number;
	/** How far the changes were when it was read. */
	readonly total: number;
	readonly version: number;

	/**
	 * @param topic what it tells of; null for one agent or a document
	 * @param id the parameter of its path, in lower case, or null
	 */
	constructor(
		changes: Changes,
		readonly topic: Topic | null,
		readonly id: string | null,
		nowMs: number,
	) {
		this.fromMs = nowMs;
		this.total = changes.total;
		this.version = changes.version(topic);
	}
}

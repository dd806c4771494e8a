import type { Task } from "../store/task.ts";

/** A text, or the bytes of a file, that is given as it is. */
export interface Document {
	readonly content: string | Uint8Array<ArrayBuffer>;
	readonly mediaType: string;
	/** Header fields of its own. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** What an operation says beside the body of its answer. */
export interface ReplyDetails {
	/** When it is not the usual one. */
	readonly status?: number;
	/** A session that begins, by its token; null when the caller's session has ended. */
	readonly session?: string | null;
	/** Header fields of its own. */
	readonly headers?: Readonly<Record<string, string>>;
	/**
	 * Until when the answer is true if nothing happens, in milliseconds since the epoch; always when left out. It is
	 * called once all lists in the answer have been read.
	 */
	readonly untilMs?: () => number;
}

/** An answer with more to say than its body. */
export class Reply {
	/** @param body the answer's without `ok`, or a document */
	constructor(
		readonly body: object,
		readonly details: ReplyDetails = {},
	) {}
}

/** What an operation says, with its details. */
export function toReply(answer: object): Reply {
	return answer instanceof Reply ? answer : new Reply(answer);
}

/** A document as an answer. */
export class DocumentReply extends Reply {
	constructor(
		readonly document: Document,
		details: Pick<ReplyDetails, "untilMs"> = {},
	) {
		super(document, { ...details, headers: document.headers ?? {} });
	}
}

/**
 * A list that may be long. Nothing is read before it is asked for, and then in slices, so that nobody waits for all
 * of it.
 */
export class LongList<T> {
	/**
	 * @param keys gives the keys of `count` rows from place `from` of the list on; fewer at its end
	 * @param read reads some rows by their keys, in the order of the keys
	 * @param passedOver how many rows lie before the list's first one, which the database must pass over
	 */
	constructor(
		readonly keys: (from: number, count: number) => Task<readonly number[]>,
		readonly read: (keys: readonly number[]) => Task<readonly T[]>,
		readonly passedOver = 0,
	) {}
}

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
	 * Until when the answer is true if nothing happens, in milliseconds since the epoch; always when left out.
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

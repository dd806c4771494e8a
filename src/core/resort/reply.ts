/** A text or a file that is sent unchanged. */
export interface Document {
	readonly content: string | Uint8Array<ArrayBuffer>;
	readonly mediaType: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an answer other than its body. */
export interface ReplyDetails {
	/** Defaults to the lowest status in the operation's `answers`. */
	readonly status?: number;
	/** The token of a new session; null if the session has ended; omitted if it does not change. */
	readonly session?: string | null;
	readonly headers?: Readonly<Record<string, string>>;
	/** When a cached answer expires without an event, in milliseconds since the epoch; omitted for never. */
	readonly untilMs?: number;
}

/** The result of an operation, if it consists of more than a body. */
export class Reply {
	/** @param body the JSON body without `ok`, or a {@link Document} */
	constructor(
		readonly body: object,
		readonly details: ReplyDetails = {},
	) {}
}

/** A reply whose content is a document. */
export class DocumentReply extends Reply {
	constructor(
		readonly document: Document,
		details: Pick<ReplyDetails, "untilMs"> = {},
	) {
		super(document, { ...details, headers: document.headers ?? {} });
	}
}

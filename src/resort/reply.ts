/** A text or a file that is sent unchanged. */
export interface Document {
	readonly content: string | Uint8Array<ArrayBuffer>;
	readonly mediaType: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an answer besides its body. */
export interface ReplyDetails {
	/** The operation's lowest status of success by default. */
	readonly status?: number;
	/** The token of a new session; null if the caller's session has ended. */
	readonly session?: string | null;
	readonly headers?: Readonly<Record<string, string>>;
	/** When the answer changes even without an event, in milliseconds since the epoch; never by default. */
	readonly untilMs?: number;
}

/** A result with more than a body. */
export class Reply {
	/** @param body without `ok`, or a document */
	constructor(
		readonly body: object,
		readonly details: ReplyDetails = {},
	) {}
}

/** Returns the result of an operation as a reply. */
export function toReply(result: object): Reply {
	return result instanceof Reply ? result : new Reply(result);
}

/** A result that is a document. */
export class DocumentReply extends Reply {
	constructor(
		readonly document: Document,
		details: Pick<ReplyDetails, "untilMs"> = {},
	) {
		super(document, { ...details, headers: document.headers ?? {} });
	}
}

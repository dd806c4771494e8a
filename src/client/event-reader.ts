/** The maximum length of an event, in characters. */
const MAX_LENGTH = 1024 * 1024;

/** An event of an event stream. */
export interface StreamEvent {
	/** `message` if the event does not specify a type. */
	readonly type: string;
	readonly data: string;
}

/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Unlike
 * `eventsource-parser`, this parser keeps the id of a block without data, because clients can resume after
 * that id.
 */
export class EventReader {
	/** The id of the last complete block with an id; null if no block had an id. */
	lastId: string | null = null;
	/** The reconnection time; null if the resort has not sent one. */
	retryMs: number | null = null;
	#decoder = new TextDecoder();
	#rest = "";

	/** Reads a chunk, and returns the events that the chunk completes. @throws Error if an event is too long */
	read(chunk: Uint8Array): StreamEvent[] {
		this.#rest += this.#decoder.decode(chunk, { stream: true });
		const blocks = this.#rest.split(/\r?\n\r?\n/);
		this.#rest = blocks.pop() ?? "";
		if (this.#rest.length > MAX_LENGTH) {
			throw new Error("an event is too long");
		}
		return blocks.flatMap((block) => this.#readBlock(block));
	}

	/** Discards an incomplete event. Called before the next stream is read. */
	restart(): void {
		this.#decoder = new TextDecoder();
		this.#rest = "";
	}

	#readBlock(block: string): StreamEvent[] {
		let type = "message";
		const data: string[] = [];
		for (const line of block.split(/\r?\n/)) {
			const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
			if (name === "data") data.push(value);
			else if (name === "event") type = value;
			// The id is sent back in a header field, so it must be printable ASCII.
			else if (name === "id" && /^[ -~]*$/.test(value)) this.lastId = value;
			else if (name === "retry" && /^\d{1,6}$/.test(value)) {
				this.retryMs = Number(value);
			}
		}
		return data.length === 0 ? [] : [{ type, data: data.join("\n") }];
	}
}

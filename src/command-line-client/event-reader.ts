/** The maximum length of an event, in characters. */
const MAX_LENGTH = 1024 * 1024;

/** An event of a stream. */
export interface StreamEvent {
	/** `message` if the event has no type. */
	readonly type: string;
	readonly data: string;
}

/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Unlike
 * `eventsource-parser` it keeps ids of blocks without data, in which a resort sends its cursor.
 */
export class EventReader {
	/** The last id of a complete block; null for none. */
	lastId: string | null = null;
	/** The pause before a new connection; null if the service sets none. */
	retryMs: number | null = null;
	#decoder = new TextDecoder();
	#rest = "";

	/** Returns the events that a chunk completes. Chunks may be cut anywhere. @throws Error if an event is too long */
	read(chunk: Uint8Array): StreamEvent[] {
		this.#rest += this.#decoder.decode(chunk, { stream: true });
		const blocks = this.#rest.split(/\r?\n\r?\n/);
		this.#rest = blocks.pop() ?? "";
		if (this.#rest.length > MAX_LENGTH) {
			throw new Error("an event is too long");
		}
		return blocks.flatMap((block) => this.#readBlock(block));
	}

	/** Drops an incomplete event: another stream follows. */
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
			// A header field repeats it.
			else if (name === "id" && /^[ -~]*$/.test(value)) this.lastId = value;
			else if (name === "retry" && /^\d{1,6}$/.test(value)) {
				this.retryMs = Number(value);
			}
		}
		return data.length === 0 ? [] : [{ type, data: data.join("\n") }];
	}
}

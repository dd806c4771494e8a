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
	#id: string | null = null;
	#type = "";
	#data = "";

	/** Returns the events that a chunk completes. Chunks may be cut anywhere. @throws Error if an event is too long */
	read(chunk: Uint8Array): StreamEvent[] {
		this.#rest += this.#decoder.decode(chunk, { stream: true });
		const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
		this.#rest = lines.pop() ?? "";
		const events = lines.flatMap((line) => this.#readLine(line));
		if (this.#rest.length + this.#data.length > MAX_LENGTH) {
			throw new Error("an event is too long");
		}
		return events;
	}

	restart(): void {
		this.#decoder = new TextDecoder();
		this.#rest = "";
		this.#id = this.lastId;
		this.#type = "";
		this.#data = "";
	}

	#readLine(line: string): StreamEvent[] {
		if (line === "") {
			const data = this.#data.replace(/\n$/, "");
			const event = { type: this.#type || "message", data };
			this.lastId = this.#id;
			this.#type = "";
			this.#data = "";
			return data === "" ? [] : [event];
		}
		const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
		if (name === "data") this.#data += `${value}\n`;
		else if (name === "event") this.#type = value;
		else if (name === "id" && !value.includes("\0")) this.#id = value;
		else if (name === "retry" && /^\d{1,6}$/.test(value)) {
			this.retryMs = Number(value);
		}
		return [];
	}
}

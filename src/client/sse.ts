/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

/** The most characters that an event may have. */
const MAX_LENGTH = 1024 * 1024;

/** One event of a stream. */
export interface StreamEvent {
	/** `message` when it says none. */
	readonly type: string;
	readonly data: string;
}

/** Takes a stream apart; parts may be cut anywhere. */
export class EventReader {
	/** The newest id of what has come whole; null for none. */
	lastId: string | null = null;
	/** How long to pause before connecting again; null when it did not say. */
	retryMs: number | null = null;
	#decoder = new TextDecoder();
	#rest = "";
	#id: string | null = null;
	#type = "";
	#data: string[] = [];
	/** How many characters the data has, ends of lines too. */
	#length = 0;

	/**
	 * The events that a part completes.
	 * @throws Error when one is too long
	 */
	read(part: Uint8Array): StreamEvent[] {
		this.#rest += this.#decoder.decode(part, { stream: true });
		const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
		this.#rest = lines.pop() ?? "";
		const events = lines.flatMap((line) => this.#take(line));
		if (this.#rest.length + this.#length > MAX_LENGTH) {
			throw new Error("an event is too long");
		}
		return events;
	}

	/** A stream that begins anew goes on with none of what the last one left. */
	restart(): void {
		this.#decoder = new TextDecoder();
		this.#rest = "";
		this.#id = this.lastId;
		this.#clear();
	}

	#clear(): void {
		this.#type = "";
		this.#data = [];
		this.#length = 0;
	}

	#take(line: string): StreamEvent[] {
		if (line === "") {
			const data = this.#data.join("\n");
			const event = { type: this.#type || "message", data };
			this.lastId = this.#id;
			this.#clear();
			return data === "" ? [] : [event];
		}
		const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
		if (name === "data") {
			this.#data.push(value);
			this.#length += value.length + 1;
		} else if (name === "event") this.#type = value;
		else if (name === "id" && !value.includes("\0")) this.#id = value;
		else if (name === "retry" && /^\d{1,6}$/.test(value)) {
			this.retryMs = Number(value);
		}
		return [];
	}
}

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
	/** The newest id that the stream told; null for none. */
	lastId: string | null = null;
	/** How long to pause before connecting again; null when it did not say. */
	retryMs: number | null = null;
	readonly #decoder = new TextDecoder();
	#rest = "";
	#type = "";
	#data: string[] = [];

	/**
	 * The events that a part completes.
	 * @throws Error when one is too long
	 */
	read(part: Uint8Array): StreamEvent[] {
		this.#rest += this.#decoder.decode(part, { stream: true });
		const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
		this.#rest = lines.pop() ?? "";
		const events = lines.flatMap((line) => this.#take(line));
		const length = this.#data.reduce((sum, { length }) => sum + length, 0);
		if (this.#rest.length + length > MAX_LENGTH) {
			throw new Error("an event is too long");
		}
		return events;
	}

	/** A stream that begins anew goes on with none of what the last one left. */
	restart(): void {
		this.#rest = "";
		this.#type = "";
		this.#data = [];
	}

	#take(line: string): StreamEvent[] {
		if (line === "") {
			const data = this.#data.join("\n");
			const event = { type: this.#type || "message", data };
			this.#type = "";
			this.#data = [];
			return data === "" ? [] : [event];
		}
		const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
		if (name === "data") this.#data.push(value);
		else if (name === "event") this.#type = value;
		else if (name === "id" && !value.includes("\0")) this.lastId = value;
		else if (name === "retry" && /^\d{1,6}$/.test(value)) {
			this.retryMs = Number(value);
		}
		return [];
	}
}

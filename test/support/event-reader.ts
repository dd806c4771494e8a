import { until } from "./until.ts";

/** A block of an event stream: its fields by name. */
export interface Block {
	readonly id?: string;
	readonly event?: string;
	readonly data?: string;
	readonly retry?: string;
	/** The text of a comment. */
	readonly comment?: string;
}

/** Reads a stream of server-sent events while it arrives. */
export class EventReader {
	readonly blocks: Block[] = [];
	status = 0;
	headers = new Headers();
	/**
	 * Null while the stream is open; "in order" if the resort ended it; otherwise the error of the connection.
	 */
	ended: "in order" | Error | null = null;
	readonly #aborting = new AbortController();

	/** Opens a stream, and waits for its first block or for a refusal. */
	static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
		const reader = new EventReader();
		const response = await fetch(url, {
			headers: { accept: "text/event-stream", ...headers },
			signal: reader.#aborting.signal,
		});
		reader.status = response.status;
		reader.headers = response.headers;
		reader.#read(response);
		await until(() => reader.blocks.length > 0 || reader.ended !== null);
		return reader;
	}

	/** The blocks that are events. */
	get events(): Block[] {
		return this.blocks.filter(({ event }) => event !== undefined);
	}

	get ids(): number[] {
		return this.events.map(({ id }) => Number(id));
	}

	/** The id that a client would send to resume the stream. */
	get lastId(): string {
		return this.blocks.findLast(({ id }) => id !== undefined)?.id ?? "";
	}

	async have(count: number): Promise<Block[]> {
		await until(() => this.events.length >= count || this.ended !== null);
		return this.events;
	}

	async end(): Promise<"in order" | Error | null> {
		await until(() => this.ended !== null);
		return this.ended;
	}

	leave(): void {
		this.#aborting.abort();
	}

	async #read(response: Response): Promise<void> {
		let text = "";
		const decoder = new TextDecoder();
		try {
			for await (const chunk of response.body ?? []) {
				text += decoder.decode(chunk, { stream: true });
				const whole = text.split("\n\n");
				text = whole.pop() ?? "";
				this.blocks.push(...whole.map(toBlock));
			}
			this.ended = "in order";
		} catch (error) {
			this.ended = error as Error;
		}
	}
}

function toBlock(text: string): Block {
	return Object.fromEntries(
		text.split("\n").map((line) => {
			const [name = "", ...value] = line.split(":");
			return [name || "comment", value.join(":").trim()];
		}),
	);
}

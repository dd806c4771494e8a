/** The maximum length of a block, in characters. */
const MAX_LENGTH = 1024 * 1024;

/** A block of an event stream: an event, or only an id, a reconnection time or a comment. */
export interface Block {
	/** `message` if the block does not specify a type. */
	readonly type: string;
	/** The data of an event; empty in other blocks. */
	readonly data: string;
	/** Null if the block has no valid id. */
	readonly id: string | null;
	/** The reconnection time; null if the block has no valid one. */
	readonly retryMs: number | null;
}

/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Unlike
 * `eventsource-parser`, this parser yields blocks without data too, because a client can resume after the id
 * of such a block.
 * @throws Error if a block is too long
 */
export async function* readBlocks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
		rest = blocks.pop() ?? "";
		if (rest.length > MAX_LENGTH) throw new Error("an event is too long");
		yield* blocks.map(parseBlock);
	}
}

function parseBlock(block: string): Block {
	let type = "message";
	let id: string | null = null;
	let retryMs: number | null = null;
	const data: string[] = [];
	for (const line of block.split(/\r?\n/)) {
		const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
		if (name === "data") data.push(value);
		else if (name === "event") type = value;
		// The id is sent back in a header field, so it must be printable ASCII.
		else if (name === "id" && /^[ -~]*$/.test(value)) id = value;
		else if (name === "retry" && /^\d{1,6}$/.test(value)) retryMs = Number(value);
	}
	return { type, data: data.join("\n"), id, retryMs };
}

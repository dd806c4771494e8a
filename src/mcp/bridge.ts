import { SECOND_MS } from "../lib/clock.ts";

/** Longer than the longest call that waits. */
const TIMEOUT_MS = 90 * SECOND_MS;

/** How many messages are under way at a time; the others wait. */
const MAX_UNDER_WAY = 32;

/** The version of the protocol that a message is written in, since 2026-07-28. */
const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";

const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;

/** What of a message the bridge reads. */
interface Message {
	readonly id?: string | number;
	readonly method?: string;
	readonly params?: {
		readonly name?: unknown;
		readonly uri?: unknown;
		readonly requestId?: string | number;
		readonly _meta?: Readonly<Record<string, unknown>>;
	};
}

/** Carries messages between a client that wants lines and the door of a resort. */
export class Bridge {
	readonly #url: string;
	readonly #apiKey: string | null;
	readonly #write: (line: string) => void;
	readonly #underWay = new Map<AbortController, Promise<void>>();
	readonly #ids = new Map<AbortController, Message["id"]>();

	/**
	 * @param url of the door
	 * @param apiKey null for none
	 * @param write receives an answer, a line
	 */
	constructor(
		url: string,
		apiKey: string | null,
		write: (line: string) => void,
	) {
		this.#url = url;
		this.#apiKey = apiKey;
		this.#write = write;
	}

	/** Carries a message; resolves as soon as there is room for another one. */
	async carry(line: string): Promise<void> {
		if (line.trim() === "") return;
		const message = parse(line);
		if (message === null) {
			this.#refuse(null, PARSE_ERROR, "Not a JSON object");
			return;
		}
		if (message.method === "notifications/cancelled") {
			this.#cancel(message.params?.requestId);
			return;
		}
		const aborter = new AbortController();
		this.#ids.set(aborter, message.id);
		const sent = this.#send(line, message, aborter).finally(() => {
			this.#underWay.delete(aborter);
			this.#ids.delete(aborter);
		});
		this.#underWay.set(aborter, sent);
		if (this.#underWay.size >= MAX_UNDER_WAY) {
			await Promise.race(this.#underWay.values());
		}
	}

	/** Waits for what is under way, so long at most, and ends the rest. */
	async end(graceMs: number): Promise<void> {
		const all = Promise.all(this.#underWay.values());
		await Promise.race([all, Bun.sleep(graceMs)]);
		for (const aborter of this.#underWay.keys()) aborter.abort();
	}

	#cancel(id: Message["id"]): void {
		for (const [aborter, own] of this.#ids) {
			if (own !== undefined && own === id) aborter.abort();
		}
	}

	async #send(
		line: string,
		message: Message,
		aborter: AbortController,
	): Promise<void> {
		const { id = null } = message;
		try {
			const response = await fetch(this.#url, {
				method: "POST",
				headers: this.#headersOf(message),
				body: line,
				redirect: "manual",
				signal: AbortSignal.any([
					aborter.signal,
					AbortSignal.timeout(TIMEOUT_MS),
				]),
			});
			const text = await response.text();
			if (message.method === undefined || message.id === undefined) return;
			const answer = parse(text);
			if (answer === null || !("jsonrpc" in answer)) {
				this.#refuse(id, INTERNAL_ERROR, toldOf(this.#url, response));
				return;
			}
			// A request that was refused unread is answered without its id.
			this.#write(JSON.stringify({ ...answer, id: answer.id ?? id }));
		} catch (error) {
			if (aborter.signal.aborted || message.id === undefined) return;
			const code =
				error instanceof Error && "code" in error ? error.code : error;
			this.#refuse(
				id,
				INTERNAL_ERROR,
				`${this.#url} does not answer (${code})`,
			);
		}
	}

	#headersOf({ method, params }: Message): Record<string, string> {
		const version = params?._meta?.[VERSION_FIELD];
		const name = params?.name ?? params?.uri;
		return {
			"content-type": "application/json",
			accept: "application/json",
			...(this.#apiKey !== null && {
				authorization: `Bearer ${this.#apiKey}`,
			}),
			...(typeof version === "string" && {
				"mcp-protocol-version": plainText(version),
				"mcp-method": plainText(String(method)),
				...(typeof name === "string" && { "mcp-name": plainText(name) }),
			}),
		};
	}

	#refuse(id: Message["id"] | null, code: number, message: string): void {
		this.#write(
			JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }),
		);
	}
}

function toldOf(url: string, { status, headers }: Response): string {
	const place = headers.get("location");
	const seconds = headers.get("retry-after");
	return `${url} answers ${status}${place === null ? "" : `, which leads to ${place}: give that as --url`}${seconds === null ? "" : `: wait ${seconds} seconds`}`;
}

/** A value as a header field holds it; what cannot stand there is encoded as the protocol says. */
function plainText(value: string): string {
	return /^[!-~]([ -~]*[!-~])?$/.test(value)
		? value
		: `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

function parse(line: string): (Message & object) | null {
	try {
		const value: unknown = JSON.parse(line);
		const isObject = typeof value === "object" && !Array.isArray(value);
		return isObject ? value : null;
	} catch {
		return null;
	}
}

import { Failure } from "../client/failure.ts";
import { type Answer, send } from "../client/send.ts";
import { isRecord } from "../lib/record.ts";

/** How long a call may wait at the longest. */
const MAX_WAIT_SECONDS = 60;

/** How many messages are sent at a time; the others wait. */
const MAX_SENT = 32;

/** How many messages are held; no more are read until one is answered. */
const MAX_HELD = 64;

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

/**
 * Carries messages between a client that wants lines and the door of a resort. They are sent as those of the
 * command-line client: the key goes to no proxy, to no other address and under no bad certificate.
 */
export class Bridge {
	readonly #url: URL;
	readonly #apiKey: string | null;
	readonly #write: (line: string) => void;
	readonly #underWay = new Map<AbortController, Promise<void>>();
	readonly #ids = new Map<AbortController, Message["id"]>();
	/** Those that wait for their turn, in their order. */
	readonly #waiting: (() => void)[] = [];
	#sent = 0;

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
		this.#url = new URL(url);
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
		const sent = this.#inTurn(() => this.#send(line, message, aborter)).finally(
			() => {
				this.#underWay.delete(aborter);
				this.#ids.delete(aborter);
			},
		);
		this.#underWay.set(aborter, sent);
		if (this.#underWay.size >= MAX_HELD) {
			await Promise.race(this.#underWay.values());
		}
	}

	/** Waits for what is under way, so long at most, and ends the rest. */
	async end(graceMs: number): Promise<void> {
		const all = Promise.all(this.#underWay.values());
		await Promise.race([all, Bun.sleep(graceMs)]);
		for (const aborter of this.#underWay.keys()) aborter.abort();
	}

	/** Does something as soon as few enough others are sent: meanwhile a cancellation is still read. */
	async #inTurn(work: () => Promise<void>): Promise<void> {
		if (this.#sent >= MAX_SENT) {
			await new Promise<void>((resolve) => this.#waiting.push(resolve));
		} else this.#sent++;
		try {
			await work();
		} finally {
			// The next one takes over the place.
			const next = this.#waiting.shift();
			if (next === undefined) this.#sent--;
			else next();
		}
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
		if (aborter.signal.aborted) return;
		const { id = null } = message;
		try {
			const answer = await send({
				method: "POST",
				url: this.#url,
				key: this.#apiKey,
				body: line,
				headers: headersOf(message),
				waitSeconds: MAX_WAIT_SECONDS,
				signal: aborter.signal,
			});
			if (message.method === undefined || message.id === undefined) return;
			const told = parse(answer.body.toString());
			if (told === null || !("jsonrpc" in told)) {
				this.#refuse(id, INTERNAL_ERROR, toldOf(this.#url, answer));
				return;
			}
			// A request that was refused unread is answered without its id.
			this.#write(JSON.stringify({ ...told, id: told.id ?? id }));
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			if (aborter.signal.aborted || message.id === undefined) return;
			this.#refuse(id, INTERNAL_ERROR, error.told);
		}
	}

	#refuse(id: Message["id"] | null, code: number, message: string): void {
		this.#write(
			JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }),
		);
	}
}

function headersOf({ method, params }: Message): Record<string, string> {
	const version = params?._meta?.[VERSION_FIELD];
	if (typeof version !== "string") return {};
	const name = params?.name ?? params?.uri;
	return {
		"mcp-protocol-version": plainText(version),
		"mcp-method": plainText(String(method)),
		...(typeof name === "string" && { "mcp-name": plainText(name) }),
	};
}

function toldOf({ href }: URL, { status, headers }: Answer): string {
	const seconds = headers["retry-after"];
	const again = seconds === undefined ? "" : `: wait ${seconds} seconds`;
	return `${href} answers ${status}${again}`;
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
		return isRecord(value) ? value : null;
	} catch {
		return null;
	}
}

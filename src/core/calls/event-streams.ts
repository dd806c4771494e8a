import { SECOND_MS } from "../lib/clock.ts";
import { once } from "../lib/once.ts";
import { toVisibleJson } from "../lib/text.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import type { Filter } from "../resort/events/event-filter.ts";
import { showEvent } from "../resort/events/event-info.ts";
import type { Subscription } from "../resort/events/event-log.ts";
import type { EventRow } from "../resort/events/queries.ts";
import type { Input } from "../resort/operation.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Call } from "./call.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";

/** The interval between two checks of a stream (see its method `#check`). */
const CHECK_MS = SECOND_MS;

/** How often the credential of a stream is checked, besides the checks of {@link Authenticator.watch}. */
const REAUTHENTICATE_MS = 20 * SECOND_MS;

/** The reconnection time that is sent to clients (`retry`). */
const RETRY_MS = 2 * SECOND_MS;

/** How long a stream is idle before it sends a comment as a heartbeat. */
const HEARTBEAT_MS = 20 * SECOND_MS;

/**
 * A stream is closed if its client reads nothing for `STALL_MS`, or if the events that arrive while the
 * client reads nothing exceed `MAX_QUEUED_BYTES`.
 */
const STALL_MS = 15 * SECOND_MS;
const MAX_QUEUED_BYTES = 1024 * 1024;

/** The maximum number of events per query, and the unsent bytes above which a stream is flushed. */
const EVENTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 64 * 1024;

/** The encoded frame of each event, shared by all streams. */
const frames = new WeakMap<EventRow, Uint8Array<ArrayBuffer>>();

/** The state of a stream whose client has not yet read everything that was flushed. */
interface Stall {
	/** The total size of the events that have arrived since the flush, up to the id `counted`. */
	queuedBytes: number;
	counted: number;
	/** Aborts the wait for the client. */
	readonly giveUp: () => void;
}

/** The services that event streams and waiting calls use. */
export interface LongCallServices {
	readonly authenticator: Authenticator;
	readonly concurrency: ConcurrencyLimit;
}

/**
 * Opens an event stream, and returns the body of the response.
 * @throws ResortError `rate_limited` or `unavailable`
 */
export async function openEventStream(
	{ authenticator, concurrency }: LongCallServices,
	call: Call,
	input: Input,
	filter: Filter,
): Promise<ReadableStream> {
	const { since } = input.query as { readonly since?: string };
	const isResumed = since !== undefined;
	const start = isResumed ? Number(since) : await input.context.eventLog.newest();
	const release = concurrency.acquire("stream", call.address());
	return new EventStream({ authenticator, call, input, filter, start, isResumed, release }).body();
}

interface StreamParts extends Pick<LongCallServices, "authenticator"> {
	readonly call: Call;
	readonly input: Input;
	readonly filter: Filter;
	/** The id of the event after which the stream begins. */
	readonly start: number;
	/** Whether the client has sent the id `start`. If it has not, `start` is the newest id. */
	readonly isResumed: boolean;
	/** Makes room for another stream of the client's network. Called once, when this stream has ended. */
	readonly release: () => void;
}

/**
 * A stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). It queries
 * the next events only after its client has read the previous ones, so a slow client uses little memory.
 */
class EventStream {
	readonly #subscription: Subscription;
	readonly #waitSignal = new WaitSignal();
	readonly #isResumed: boolean;
	/** The last id that the client knows. */
	#sentId: number;
	#isHeartbeatDue = false;
	/** The time at which the last flush began or ended, by `performance.now()`. */
	#flushedAtMs = performance.now();
	#reauthenticatedAtMs = performance.now();
	#unsentBytes = 0;
	#stall: Stall | null = null;
	#isRunning = false;
	/** Whether a test has cut the connection. */
	#isCut = false;
	/** Checks the credential, and ends the stream if it is no longer valid. */
	readonly #reauthenticate: () => void;
	readonly #finish: () => void;

	constructor({ authenticator, call, input, filter, start, isResumed, release }: StreamParts) {
		const { context, caller } = input;
		this.#isResumed = isResumed;
		this.#sentId = start;
		this.#reauthenticate = () => void authenticator.reauthenticate(call, caller).catch(() => this.#end());
		const unwatch = authenticator.watch(caller, this.#reauthenticate);
		const signal = { wake: () => this.#wake(), end: () => this.#end() };
		this.#subscription = context.eventLog.subscribe(signal, filter, call.address());
		const cut = () => {
			this.#isCut = true;
			this.#abort();
		};
		context.openCalls?.streams.add(cut);
		const timer = setInterval(() => this.#check(), CHECK_MS);
		this.#finish = once(() => {
			this.#end();
			this.#subscription.end();
			clearInterval(timer);
			unwatch();
			context.openCalls?.streams.delete(cut);
			release();
		});
	}

	/** Returns the body of the response. Call it only once. */
	body(): ReadableStream {
		return new ReadableStream({
			type: "direct",
			pull: (controller) => this.#run(controller),
			cancel: () => this.#abort(),
		});
	}

	/** Ends the stream once its events are flushed. {@link #check} disconnects a client that reads nothing. */
	#end(): void {
		this.#waitSignal.end();
	}

	/**
	 * Does what is due: checks the credential, sends a heartbeat, or closes the stream of a client that reads
	 * nothing.
	 */
	#check(): void {
		const nowMs = performance.now();
		if (nowMs - this.#reauthenticatedAtMs >= REAUTHENTICATE_MS) {
			this.#reauthenticatedAtMs = nowMs;
			this.#reauthenticate();
		}
		const idleMs = nowMs - this.#flushedAtMs;
		if (this.#stall !== null) {
			if (this.#waitSignal.isOver || idleMs >= STALL_MS) this.#stall.giveUp();
		} else if (!this.#isRunning) {
			// Aborts a stream whose client disconnected before the response was sent. The runtime never starts to
			// read such a stream, so it would stay open.
			if (idleMs >= STALL_MS) this.#abort();
		} else if (idleMs >= HEARTBEAT_MS) {
			this.#isHeartbeatDue = true;
			this.#waitSignal.wake();
		}
	}

	#wake(): void {
		this.#waitSignal.wake();
		if (this.#stall !== null) this.#count(this.#stall);
	}

	#abort(): void {
		this.#end();
		this.#stall?.giveUp();
		if (!this.#isRunning) this.#finish();
	}

	async #run(controller: ReadableStreamDirectController): Promise<void> {
		this.#isRunning = true;
		try {
			let cursor = this.#sentId;
			const id = this.#isResumed ? "" : `id: ${cursor}\n`;
			this.#write(controller, `retry: ${RETRY_MS}\n${id}\n`);
			await this.#flush(controller, cursor);
			while (!this.#waitSignal.isOver) cursor = await this.#sendNext(controller, cursor);
			if (this.#isCut) throw new Error("The test cut the stream");
			this.#write(controller, `retry: ${RETRY_MS}\n\n`);
			controller.end();
		} finally {
			this.#finish();
		}
	}

	/**
	 * Sends the next events, or waits until there may be new ones.
	 * @param since the id up to which the log has been read
	 * @returns the new value of `since`
	 * @throws Error if the client reads nothing; the error closes the connection
	 */
	async #sendNext(controller: ReadableStreamDirectController, since: number): Promise<number> {
		const subscription = this.#subscription;
		const { cursor, events, isForgotten } = await subscription.next(since, EVENTS_AT_ONCE);
		for (const event of events) {
			this.#sentId = event.id;
			this.#write(controller, frameOf(event));
			if (this.#unsentBytes > BYTES_AT_ONCE) await this.#flush(controller, cursor);
		}
		// Tells the client to fetch the current state, because events that it has not received were deleted.
		if (isForgotten) {
			this.#sentId = cursor;
			this.#write(controller, `id: ${cursor}\nevent: reset\ndata: {"cursor":"${cursor}"}\n\n`);
		} else if (this.#isHeartbeatDue && this.#unsentBytes === 0) {
			// If the filter has excluded events, sends the newest id, so that the client can resume after them.
			const id = this.#sentId < cursor ? `id: ${cursor}\n` : "";
			this.#sentId = cursor;
			this.#write(controller, `:\n${id}\n`);
		}
		this.#isHeartbeatDue = false;
		if (this.#unsentBytes > 0) await this.#flush(controller, cursor);
		if (cursor === since) await this.#waitSignal.next();
		return subscription.cursor;
	}

	#write(controller: ReadableStreamDirectController, frame: string | Uint8Array<ArrayBuffer>): void {
		this.#unsentBytes += frame.length;
		controller.write(frame);
	}

	/**
	 * Flushes, and waits until the client has read everything.
	 * @param cursor the id up to which the log has been read
	 * @throws Error if the client reads nothing
	 */
	async #flush(controller: ReadableStreamDirectController, cursor: number): Promise<void> {
		this.#flushedAtMs = performance.now();
		const flushing = controller.flush(true);
		if (flushing instanceof Promise) {
			const gaveUp = Promise.withResolvers<never>();
			const giveUp = () => gaveUp.reject(new Error("The client reads nothing"));
			this.#stall = { queuedBytes: 0, counted: cursor, giveUp };
			await Promise.race([gaveUp.promise, flushing]);
			this.#stall = null;
			this.#flushedAtMs = performance.now();
		}
		this.#unsentBytes = 0;
	}

	#count(stall: Stall): void {
		const { cursor, events } = this.#subscription.peek(stall.counted);
		stall.counted = cursor;
		for (const event of events) stall.queuedBytes += frameOf(event).length;
		if (stall.queuedBytes > MAX_QUEUED_BYTES) stall.giveUp();
	}
}

function frameOf(event: EventRow): Uint8Array<ArrayBuffer> {
	return frames.getOrInsertComputed(event, () => {
		const text = `id: ${event.id}\nevent: ${event.type}\ndata: ${toVisibleJson(showEvent(event))}\n\n`;
		return new TextEncoder().encode(text);
	});
}

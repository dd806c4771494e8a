import { SECOND_MS } from "../lib/clock.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { once } from "../lib/once.ts";
import { toVisibleJson } from "../lib/text.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import type { Filter } from "../resort/events/event-filter.ts";
import type { EventLog, Subscription } from "../resort/events/event-log.ts";
import type { EventInfo } from "../resort/events/model.ts";
import type { Input } from "../resort/operation.ts";
import type { Call } from "./call.ts";
import { isKnown, type LongCallServices } from "./long-poll.ts";

/** How often a timer calls {@link EventStream.check} for each stream. */
const CHECK_MS = SECOND_MS;

/**
 * How often the credential of a stream is checked. The credential is also checked when `CredentialWatch`
 * reports that it may have become invalid.
 */
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

/**
 * The maximum number of events in one query, and the number of unsent bytes after which a stream is flushed.
 */
const EVENTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 64 * 1024;

/** The encoded frame of each event, shared by all streams. */
const frames = new WeakMap<EventInfo, Uint8Array<ArrayBuffer>>();

/**
 * The state of a stream whose client has not yet read everything that was flushed. `queuedBytes` is the total
 * size of the events that have arrived since then.
 */
interface Stall {
	readonly sinceMs: number;
	/** The id of the last event that is included in `queuedBytes`. */
	counted: number;
	queuedBytes: number;
	/** Aborts the wait for the client. */
	readonly giveUp: () => void;
}

/** The open event streams of an instance. */
export class EventStreams {
	readonly #open = new Set<EventStream>();
	#timer: Timer | null = null;

	/**
	 * Opens a stream.
	 * @returns the body of the response
	 * @throws ResortError `rate_limited` or `unavailable` if too many streams are open; `unavailable` if the
	 * database does not respond
	 */
	async open(services: LongCallServices, call: Call, input: Input, filter: Filter): Promise<ReadableStream> {
		const release = services.concurrency.acquire("stream", call, await isKnown(services, call, input.caller));
		const stream = new EventStream(services, call, input, filter, () => {
			release();
			this.#open.delete(stream);
			if (this.#open.size > 0 || this.#timer === null) return;
			clearInterval(this.#timer);
			this.#timer = null;
		});
		this.#open.add(stream);
		this.#timer ??= setInterval(() => {
			const nowMs = performance.now();
			for (const open of this.#open) open.check(nowMs);
		}, CHECK_MS);
		await stream.start();
		return stream.body();
	}
}

/**
 * A stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). It queries
 * the next events only after its client has read the previous ones, so a slow client uses little memory.
 */
class EventStream {
	readonly #eventLog: EventLog;
	/** The stream begins after the event with this id, or with the next new event if this is null. */
	readonly #since: number | null;
	readonly #filter: Filter;
	readonly #subscription: Subscription;
	readonly #waitSignal = new WaitSignal();
	/** The last id sent to the client. */
	#sentId = -1;
	#isHeartbeatDue = false;
	#flushedAtMs = performance.now();
	#reauthenticatedAtMs = performance.now();
	#unsentBytes = 0;
	#stall: Stall | null = null;
	#isRunning = false;
	/** Whether a test has cut the connection. */
	#isCut = false;
	/**
	 * Checks the credential of the caller, and ends the stream if the credential has expired or was revoked.
	 */
	readonly #reauthenticate: () => void;
	readonly #finish: () => void;

	/** @param finished called once, when the stream has ended */
	constructor(
		{ authenticator, credentialWatch }: LongCallServices,
		call: Call,
		{ context, caller, query }: Input,
		filter: Filter,
		finished: () => void,
	) {
		const { since } = query as { readonly since?: string };
		this.#eventLog = context.eventLog;
		this.#since = since === undefined ? null : Number(since);
		this.#filter = filter;
		this.#reauthenticate = () => void authenticator.reauthenticate(call, caller).catch(() => this.end());
		const unwatch = credentialWatch.watch(caller, this.#reauthenticate);
		this.#subscription = context.eventLog.subscribe(
			{ wake: () => this.#wake(), end: () => this.end() },
			filter,
			networkSlot(call.address(), 1),
		);
		const remove = context.testkit?.openCalls.add("streams", () => {
			this.#isCut = true;
			this.#abort();
		});
		this.#finish = once(() => {
			this.end();
			this.#subscription.end();
			unwatch();
			remove?.();
			finished();
		});
	}

	/** Finds the newest event if the stream begins there. @throws ResortError `unavailable` */
	async start(): Promise<void> {
		try {
			if (this.#since === null) await this.#subscription.start();
		} catch (error) {
			this.#finish();
			throw error;
		}
	}

	/** Returns the body of the response. Call it only once. */
	body(): ReadableStream {
		return new ReadableStream({
			type: "direct",
			pull: (controller) => this.#run(controller),
			cancel: () => this.#abort(),
		});
	}

	/**
	 * Ends the stream after the events that were written have been flushed. If the client does not read them,
	 * {@link check} disconnects it.
	 */
	end(): void {
		this.#waitSignal.end();
	}

	/**
	 * Checks the credential, sends a heartbeat, or closes the stream of a client that reads nothing, each when
	 * it is due. Called every second.
	 * @param nowMs by `performance.now()`
	 */
	check(nowMs: number): void {
		if (nowMs - this.#reauthenticatedAtMs >= REAUTHENTICATE_MS) {
			this.#reauthenticatedAtMs = nowMs;
			this.#reauthenticate();
		}
		const isLate = nowMs - this.#flushedAtMs >= STALL_MS;
		// Closes a stream that the runtime has never started to read, because the client disconnected before the
		// response was sent.
		if (!this.#isRunning && isLate) this.#abort();
		else if (this.#stall !== null) {
			const isOver = this.#waitSignal.isOver;
			if (isOver || nowMs - this.#stall.sinceMs >= STALL_MS) {
				this.#stall.giveUp();
			}
		} else if (nowMs - this.#flushedAtMs >= HEARTBEAT_MS) {
			this.#isHeartbeatDue = true;
			this.#waitSignal.wake();
		}
	}

	#wake(): void {
		this.#waitSignal.wake();
		if (this.#stall !== null) this.#count(this.#stall);
	}

	#abort(): void {
		this.end();
		this.#stall?.giveUp();
		if (!this.#isRunning) this.#finish();
	}

	async #run(controller: ReadableStreamDirectController): Promise<void> {
		this.#isRunning = true;
		try {
			await this.#begin(controller);
			while (await this.#sendNext(controller)) {}
			if (this.#isCut) throw new Error("The test cut the stream");
			this.#write(controller, `retry: ${RETRY_MS}\n\n`);
			controller.end();
		} finally {
			this.#finish();
		}
	}

	/** Sends the reconnection time, and the id from which the client can resume. */
	async #begin(controller: ReadableStreamDirectController): Promise<void> {
		const since = this.#since;
		this.#sentId = since ?? this.#subscription.cursor;
		const id = since === null ? `id: ${this.#sentId}\n` : "";
		this.#write(controller, `retry: ${RETRY_MS}\n${id}\n`);
		await this.#flush(controller, this.#sentId);
	}

	/**
	 * Sends the next events, or waits until there are some.
	 * @returns whether the stream continues
	 * @throws Error if the client reads nothing; the error closes the connection
	 */
	async #sendNext(controller: ReadableStreamDirectController): Promise<boolean> {
		const subscription = this.#subscription;
		if (this.#waitSignal.isOver) return false;
		const since = subscription.cursor === -1 ? this.#sentId : subscription.cursor;
		const { cursor, events, isForgotten } = await subscription.next(since, EVENTS_AT_ONCE);
		for (const event of events) {
			this.#sentId = Number(event.id);
			this.#write(controller, frameOf(event));
			if (this.#unsentBytes > BYTES_AT_ONCE) {
				await this.#flush(controller, cursor);
			}
		}
		if (isForgotten) this.#write(controller, this.#resetFrame(cursor));
		if (this.#isHeartbeatDue && this.#unsentBytes === 0) {
			this.#write(controller, this.#heartbeatFrame(cursor));
		}
		this.#isHeartbeatDue = false;
		if (this.#unsentBytes > 0) await this.#flush(controller, cursor);
		return cursor !== since || this.#waitSignal.next();
	}

	/**
	 * Returns the `reset` event. It tells the client to fetch the current state, because events that the client
	 * has not received were deleted.
	 */
	#resetFrame(newest: number): string {
		const cursor = String(newest);
		this.#sentId = newest;
		return `id: ${cursor}\nevent: reset\ndata: ${JSON.stringify({ cursor })}\n\n`;
	}

	/**
	 * Returns a heartbeat, which is a comment without data. If the filter has excluded events since the last id
	 * was sent, the heartbeat also contains the newest id, so that the client can resume from there.
	 */
	#heartbeatFrame(cursor: number): string {
		const isBehind = this.#sentId < cursor;
		this.#sentId = cursor;
		return isBehind ? `:\nid: ${cursor}\n\n` : ":\n\n";
	}

	#write(controller: ReadableStreamDirectController, frame: string | Uint8Array<ArrayBuffer>): void {
		this.#unsentBytes += frame.length;
		controller.write(frame);
	}

	/**
	 * Flushes, and waits until the client has read everything. Events that arrive meanwhile are added to
	 * `queuedBytes`.
	 * @param cursor the id of the last event read from the log
	 * @throws Error if the wait is aborted, because the client reads nothing
	 */
	async #flush(controller: ReadableStreamDirectController, cursor: number): Promise<void> {
		const flushing = controller.flush(true);
		if (flushing instanceof Promise) {
			const gaveUp = Promise.withResolvers<never>();
			this.#stall = {
				sinceMs: performance.now(),
				counted: cursor,
				queuedBytes: 0,
				giveUp: () => gaveUp.reject(new Error("The client reads nothing")),
			};
			await Promise.race([gaveUp.promise, flushing]);
			this.#stall = null;
		}
		this.#unsentBytes = 0;
		this.#flushedAtMs = performance.now();
	}

	#count(stall: Stall): void {
		const { counted } = stall;
		const { cursor, events } = this.#eventLog.peek(counted, this.#filter);
		stall.counted = cursor;
		for (const event of events) stall.queuedBytes += frameOf(event).length;
		if (stall.queuedBytes > MAX_QUEUED_BYTES) stall.giveUp();
	}
}

function frameOf(event: EventInfo): Uint8Array<ArrayBuffer> {
	let frame = frames.get(event);
	if (frame === undefined) {
		const { id, type } = event;
		const text = `id: ${id}\nevent: ${type}\ndata: ${toVisibleJson(event)}\n\n`;
		frame = new TextEncoder().encode(text);
		frames.set(event, frame);
	}
	return frame;
}

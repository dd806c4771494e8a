/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the events that fit, as they
 * happen. A stream reads its next events only when its reader has taken the last ones, so that a slow reader costs
 * nobody else anything.
 */
import { SECOND_MS } from "../lib/clock.ts";
import { once } from "../lib/once.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import type { Filter } from "../resort/events/event-filter.ts";
import type { EventLog, Subscription } from "../resort/events/event-log.ts";
import type { EventInfo } from "../resort/events/model.ts";

/** When a reader connects again after its stream has ended. */
const RETRY_MS = 2 * SECOND_MS;

/** A stream without events says that it is still there. */
const BEAT_MS = 20 * SECOND_MS;

/** How long a reader may take nothing, and how many bytes may come for it meanwhile. */
const STALL_MS = 15 * SECOND_MS;
const MAX_WAITING_BYTES = 1024 * 1024;

/** How many events are read at once, and after how many bytes it is waited until the reader has taken them. */
const EVENTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 64 * 1024;

/** What a stream tells. */
export interface Told {
	/** The id after which it begins; null for from now on. */
	readonly since: number | null;
	readonly filter: Filter;
}

/** The events as they are sent, made once for all readers. */
const frames = new WeakMap<EventInfo, Uint8Array<ArrayBuffer>>();

/** A reader that has not taken what was sent to it. */
interface Stall {
	readonly sinceMs: number;
	/** The last event that was counted, and the bytes of those that came since it began. */
	counted: number;
	waitingBytes: number;
	/** Waits no longer for the reader. */
	readonly giveUp: () => void;
}

/** One reader's stream. */
export class EventStream {
	readonly #eventLog: EventLog;
	readonly #told: Told;
	readonly #waitSignal = new WaitSignal();
	/** The last id that the reader knows of. */
	#known = -1;
	#isBeatDue = false;
	#tookAtMs = performance.now();
	#unsentBytes = 0;
	#stall: Stall | null = null;
	#isRunning = false;
	readonly #finish: () => void;

	/** @param finished is called once, when the stream has ended */
	constructor(eventLog: EventLog, told: Told, finished: () => void) {
		this.#eventLog = eventLog;
		this.#told = told;
		this.#finish = once(finished);
	}

	/** Its body, to be asked for once. */
	body(): ReadableStream {
		return new ReadableStream({
			type: "direct",
			pull: (controller) => this.#run(controller),
			cancel: () => this.#lose(),
		});
	}

	/** Ends it in order, unless its reader takes nothing. */
	end(): void {
		this.#waitSignal.end();
	}

	/**
	 * Looks after it; to be called every second or so.
	 * @param nowMs by `performance.now()`
	 */
	look(nowMs: number): void {
		const isLate = nowMs - this.#tookAtMs >= STALL_MS;
		// The reader was gone before the answer was sent.
		if (!this.#isRunning && isLate) this.#lose();
		else if (this.#stall !== null) {
			const isOver = this.#waitSignal.isOver;
			if (isOver || nowMs - this.#stall.sinceMs >= STALL_MS) {
				this.#stall.giveUp();
			}
		} else if (nowMs - this.#tookAtMs >= BEAT_MS) {
			this.#isBeatDue = true;
			this.#waitSignal.wake();
		}
	}

	/** The reader is gone. */
	#lose(): void {
		this.end();
		this.#stall?.giveUp();
		if (!this.#isRunning) this.#finish();
	}

	async #run(controller: ReadableStreamDirectController): Promise<void> {
		this.#isRunning = true;
		const { filter } = this.#told;
		const waiting = {
			wake: () => {
				this.#waitSignal.wake();
				if (this.#stall !== null) this.#count(this.#stall);
			},
			end: () => this.end(),
		};
		const follower = this.#eventLog.subscribe(waiting, filter);
		try {
			await this.#begin(controller, follower);
			while (await this.#tell(controller, follower)) {}
			this.#write(controller, `retry: ${RETRY_MS}\n\n`);
			controller.end();
		} finally {
			follower.end();
			this.#waitSignal.end();
			this.#finish();
		}
	}

	/** The reader learns at once from where on it can resume. */
	async #begin(
		controller: ReadableStreamDirectController,
		follower: Subscription,
	): Promise<void> {
		const { since } = this.#told;
		if (since === null) await follower.start();
		this.#known = since ?? follower.cursor;
		const id = since === null ? `id: ${this.#known}\n` : "";
		this.#write(controller, `retry: ${RETRY_MS}\n${id}\n`);
		await this.#flush(controller, this.#known);
	}

	/**
	 * Tells what there is, or waits for more.
	 * @returns whether it goes on
	 * @throws Error when the reader takes nothing, which ends the connection
	 */
	async #tell(
		controller: ReadableStreamDirectController,
		follower: Subscription,
	): Promise<boolean> {
		if (this.#waitSignal.isOver) return false;
		const since = follower.cursor === -1 ? this.#known : follower.cursor;
		const found = await follower.next(since, EVENTS_AT_ONCE);
		const { cursor, events, isForgotten } = found;
		for (const event of events) {
			this.#known = Number(event.id);
			this.#write(controller, frameOf(event));
			if (this.#unsentBytes > BYTES_AT_ONCE) {
				await this.#flush(controller, cursor);
			}
		}
		if (isForgotten) this.#write(controller, this.#resetFrame(cursor));
		if (this.#isBeatDue && this.#unsentBytes === 0) {
			this.#write(controller, this.#beatFrame(cursor));
		}
		this.#isBeatDue = false;
		if (this.#unsentBytes > 0) await this.#flush(controller, cursor);
		const isMore = events.length > 0 || cursor !== since;
		return isMore || this.#waitSignal.next();
	}

	/** What the reader missed has been forgotten: it must ask for a snapshot. */
	#resetFrame(newest: number): string {
		const cursor = String(newest);
		this.#known = newest;
		return `id: ${cursor}\nevent: reset\ndata: ${JSON.stringify({ cursor })}\n\n`;
	}

	/** A comment, and where it is when its filter was quiet: a reader that resumes there is not far behind. */
	#beatFrame(cursor: number): string {
		const isBehind = this.#known < cursor;
		this.#known = cursor;
		return isBehind ? `:\nid: ${cursor}\n\n` : ":\n\n";
	}

	#write(
		controller: ReadableStreamDirectController,
		frame: string | Uint8Array<ArrayBuffer>,
	): void {
		this.#unsentBytes += frame.length;
		controller.write(frame);
	}

	/**
	 * Waits until the reader has taken what was written; meanwhile what comes for it is counted.
	 * @param cursor the last id that was looked at
	 */
	async #flush(
		controller: ReadableStreamDirectController,
		cursor: number,
	): Promise<void> {
		const taken = controller.flush(true);
		if (taken instanceof Promise) {
			const gaveUp = Promise.withResolvers<never>();
			this.#stall = {
				sinceMs: performance.now(),
				counted: cursor,
				waitingBytes: 0,
				giveUp: () => gaveUp.reject(new Error("The reader takes nothing")),
			};
			await Promise.race([gaveUp.promise, taken]);
			this.#stall = null;
		}
		this.#unsentBytes = 0;
		this.#tookAtMs = performance.now();
	}

	#count(stall: Stall): void {
		const { counted } = stall;
		const { cursor, events } = this.#eventLog.peek(counted, this.#told.filter);
		stall.counted = cursor;
		for (const event of events) stall.waitingBytes += frameOf(event).length;
		if (stall.waitingBytes > MAX_WAITING_BYTES) stall.giveUp();
	}
}

function frameOf(event: EventInfo): Uint8Array<ArrayBuffer> {
	let frame = frames.get(event);
	if (frame === undefined) {
		const { id, type } = event;
		const text = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
		frame = new TextEncoder().encode(text);
		frames.set(event, frame);
	}
	return frame;
}

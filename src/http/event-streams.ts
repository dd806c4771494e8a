import { type Access, type Call, verify } from "../auth/call.ts";
import { SECOND_MS } from "../lib/clock.ts";
import type { EventLog } from "../resort/events/event-log.ts";
import { EventStream, type Told } from "./event-stream.ts";

/** How often streams are looked after, and how often their credentials are judged anew. */
const LOOK_MS = SECOND_MS;
const VERIFY_MS = 20 * SECOND_MS;

/** The header fields of a stream: nobody on its way keeps or holds back any of it. */
export const streamHeaders = {
	"content-type": "text/event-stream",
	"cache-control": "no-store",
	"x-accel-buffering": "no",
} as const;

interface Open {
	readonly stream: EventStream;
	/** Ends the stream when its credential has ended; null where none is needed. */
	readonly check: (() => void) | null;
	checkedAtMs: number;
}

/** All open streams. */
export class EventStreams {
	readonly #access: Access;
	readonly #open = new Set<Open>();
	#looking: Timer | null = null;

	constructor(access: Access) {
		this.#access = access;
	}

	/**
	 * Opens a stream.
	 * @returns its body
	 * @throws ResortError `rate_limited` or `unavailable` when there are too many
	 */
	open(call: Call, eventLog: EventLog, told: Told): ReadableStream {
		const { endings, places } = this.#access;
		const giveBack = places.take("stream", call.address());
		const stream = new EventStream(eventLog, told, () => {
			giveBack();
			unwatch?.();
			this.#forget(open);
		});
		const { caller } = call;
		const check =
			caller &&
			(() => void verify(this.#access, call).catch(() => stream.end()));
		const unwatch = check && endings.watch(caller.agent.id, check);
		const open: Open = { stream, check, checkedAtMs: performance.now() };
		this.#open.add(open);
		this.#looking ??= setInterval(() => this.#look(), LOOK_MS);
		return stream.body();
	}

	#forget(open: Open): void {
		this.#open.delete(open);
		if (this.#open.size > 0 || this.#looking === null) return;
		clearInterval(this.#looking);
		this.#looking = null;
	}

	#look(): void {
		const nowMs = performance.now();
		for (const open of this.#open) {
			open.stream.look(nowMs);
			if (open.check !== null && nowMs - open.checkedAtMs >= VERIFY_MS) {
				open.checkedAtMs = nowMs;
				open.check();
			}
		}
	}
}

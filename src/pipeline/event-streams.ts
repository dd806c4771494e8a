import { SECOND_MS } from "../lib/clock.ts";
import type { Filter } from "../resort/events/event-filter.ts";
import type { Input } from "../resort/operation.ts";
import type { Call } from "./call.ts";
import { EventStream } from "./event-stream.ts";
import type { LongCallServices } from "./long-poll.ts";

const CHECK_MS = SECOND_MS;

/** How often the credential of a stream is checked, besides when it may have ended. */
const REAUTHENTICATE_MS = 20 * SECOND_MS;

interface OpenStream {
	readonly stream: EventStream;
	/** Ends the stream if its credential has ended; null if it needs none. */
	readonly reauthenticate: (() => void) | null;
	reauthenticatedAtMs: number;
}

/** The open event streams of an instance. */
export class EventStreams {
	readonly #open = new Set<OpenStream>();
	#timer: Timer | null = null;

	/**
	 * Opens a stream.
	 * @returns the body of its response
	 * @throws ResortError `rate_limited` or `unavailable` if too many are open
	 */
	open(
		{ authenticator, concurrency, credentialWatch }: LongCallServices,
		call: Call,
		{ context, caller, query }: Input,
		filter: Filter,
	): ReadableStream {
		const { since } = query as { readonly since?: string };
		const release = concurrency.acquire("stream", call.address());
		const stream = new EventStream(
			context.eventLog,
			since === undefined ? null : Number(since),
			filter,
			() => {
				release();
				unwatch?.();
				this.#remove(open);
			},
		);
		const reauthenticate =
			caller &&
			(() =>
				void authenticator
					.reauthenticate(call, caller)
					.catch(() => stream.end()));
		const unwatch =
			reauthenticate && credentialWatch.watch(caller.agent.id, reauthenticate);
		const open: OpenStream = {
			stream,
			reauthenticate,
			reauthenticatedAtMs: performance.now(),
		};
		this.#open.add(open);
		this.#timer ??= setInterval(() => this.#check(), CHECK_MS);
		return stream.body();
	}

	#remove(open: OpenStream): void {
		this.#open.delete(open);
		if (this.#open.size > 0 || this.#timer === null) return;
		clearInterval(this.#timer);
		this.#timer = null;
	}

	#check(): void {
		const nowMs = performance.now();
		for (const open of this.#open) {
			open.stream.check(nowMs);
			if (
				open.reauthenticate !== null &&
				nowMs - open.reauthenticatedAtMs >= REAUTHENTICATE_MS
			) {
				open.reauthenticatedAtMs = nowMs;
				open.reauthenticate();
			}
		}
	}
}

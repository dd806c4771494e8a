import type { Server } from "bun";
import { SECOND_MS } from "../lib/clock.ts";
import { type EndableStream, endableStream } from "./endable-stream.ts";
import { type Bounds, HeldBodies } from "./held-bodies.ts";

/** Bodies of fewer bytes are not counted: counting would cost more than it could save. */
export const LARGE_BYTES = 64 * 1024;

/** How long a reader may take nothing of a large answer. The runtime rounds it up to 4 s. */
const PATIENCE_SECONDS = 15;

const MIB = 1024 * 1024;

/** Half of the memory for each way, so 64 MiB for an address and 256 MiB in all. */
const BOUNDS: Bounds = { addressBytes: 32 * MIB, totalBytes: 128 * MIB };

/** What is asked of the server: `requestIP` is null once an answer is finished or its reader is gone. */
type Connections = Pick<Server<undefined>, "requestIP" | "timeout">;

/** A large answer that is not finished. */
interface Unfinished {
	readonly request: Request;
	readonly address: string;
	readonly body: Blob;
	readonly held: HeldBodies;
	/** Null while the runtime writes the shared body itself. */
	stream: EndableStream | null;
	/** How many sweeps have seen it. */
	sweeps: number;
}

/**
 * Sends large bodies without holding memory for readers that read nothing. The runtime writes a Blob straight
 * from its one copy, whoever reads it, but such an answer cannot be ended from here. So an answer whose body is
 * beyond the bounds goes out as a stream, slower and without Content-Length; when the streams are beyond their
 * bounds too, the one whose reader has taken nothing for the longest time is ended.
 */
export class Delivery {
	readonly #connections: Connections;
	readonly #patienceSeconds: number;
	readonly #direct: HeldBodies;
	readonly #streamed: HeldBodies;
	readonly #unfinished = new Set<Unfinished>();
	/** Those that are streams; first the one that made progress longest ago. */
	readonly #streams = new Set<Unfinished>();
	#sweeper: Timer | null = null;

	/**
	 * @param connections the server that answers
	 * @param patienceSeconds how long a reader may take nothing, 1 to 255
	 * @param bounds of the bodies that go out directly, and of those that are streamed
	 */
	constructor(
		connections: Connections,
		patienceSeconds = PATIENCE_SECONDS,
		bounds: { readonly direct: Bounds; readonly streamed: Bounds } = {
			direct: BOUNDS,
			streamed: BOUNDS,
		},
	) {
		this.#connections = connections;
		this.#patienceSeconds = patienceSeconds;
		this.#direct = new HeldBodies(bounds.direct);
		this.#streamed = new HeldBodies(bounds.streamed);
	}

	/** What unfinished large answers hold; finished ones count until the next sweep. */
	get load() {
		return {
			answers: this.#unfinished.size,
			streams: this.#streams.size,
			directBytes: this.#direct.bytes,
			streamedBytes: this.#streamed.bytes,
			addresses: this.#direct.addresses + this.#streamed.addresses,
		};
	}

	/**
	 * An answer with a body.
	 * @param request as the server gave it, not a copy
	 * @param body the same object for all readers of the same bytes: only then is it held once
	 * @param address whose share it counts to
	 */
	respond(
		request: Request,
		body: Blob,
		init: ResponseInit,
		address: string,
	): Response {
		if (body.size < LARGE_BYTES || request.method === "HEAD") {
			return new Response(body, init);
		}
		// Two, so that finished answers are released faster than new ones come.
		this.#releaseFinished(2);
		const isDirect =
			!this.#direct.passesAddress(address, body) &&
			!this.#direct.passesTotal(body);
		const held = isDirect ? this.#direct : this.#streamed;
		if (!isDirect) this.#makeRoom(address, body);
		const answer: Unfinished = {
			request,
			address,
			body,
			held,
			stream: null,
			sweeps: 0,
		};
		held.add(address, body);
		this.#unfinished.add(answer);
		this.#sweeper ??= setInterval(() => this.sweep(), SECOND_MS).unref();
		return new Response(isDirect ? body : this.#streamOf(answer), init);
	}

	/**
	 * Releases what is finished, and lets the runtime end whoever takes nothing from now on. Runs every second
	 * while an answer is unfinished.
	 */
	sweep(): void {
		this.#releaseFinished(this.#unfinished.size);
		for (const answer of this.#unfinished) {
			answer.sweeps++;
			// Only of slow readers: the limit stays with the connection when the answer is finished.
			if (answer.sweeps === 2) {
				this.#connections.timeout(answer.request, this.#patienceSeconds);
			}
		}
		if (this.#unfinished.size === 0 && this.#sweeper !== null) {
			clearInterval(this.#sweeper);
			this.#sweeper = null;
		}
	}

	/** Looks at `count` answers, first at those that were not looked at for the longest time. */
	#releaseFinished(count: number): void {
		let left = count;
		for (const answer of this.#unfinished) {
			if (left-- === 0) return;
			this.#unfinished.delete(answer);
			if (this.#connections.requestIP(answer.request) === null) {
				this.#forget(answer);
			} else {
				this.#unfinished.add(answer);
			}
		}
	}

	/** Ends streams until a body fits: those of its address first, so that others are spared. */
	#makeRoom(address: string, body: Blob): void {
		for (const answer of this.#streams) {
			if (!this.#streamed.passesAddress(address, body)) break;
			if (answer.address === address) this.#end(answer);
		}
		for (const answer of this.#streams) {
			if (!this.#streamed.passesTotal(body)) break;
			this.#end(answer);
		}
	}

	#end(answer: Unfinished): void {
		answer.stream?.end();
		this.#release(answer);
	}

	#streamOf(answer: Unfinished): ReadableStream {
		answer.stream = endableStream(answer.body, {
			progressed: () => {
				if (this.#streams.delete(answer)) this.#streams.add(answer);
			},
			finished: () => this.#release(answer),
		});
		this.#streams.add(answer);
		return answer.stream.stream;
	}

	#release(answer: Unfinished): void {
		if (this.#unfinished.delete(answer)) this.#forget(answer);
	}

	#forget(answer: Unfinished): void {
		this.#streams.delete(answer);
		answer.held.remove(answer.address, answer.body);
	}
}

import { createSizedCache } from "../../lib/bounded-cache.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import { FairLimiter, LimitExceeded } from "../../lib/fair-limiter.ts";
import { networkSlot } from "../../lib/network-limits.ts";
import { ResortError } from "../../lib/resort-error.ts";

type Png = Uint8Array<ArrayBuffer>;

/** About 600 pictures. */
const CACHE = { maxEntries: 2_000, maxBytes: 16 * 1024 * 1024 };

/** One picture is drawn at a time: it takes a processor. */
const BOUNDS = { running: 1, waiting: 100 };

/** A picture takes less than a tenth of a second. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** The thread and its 30 MiB are given up after this time without a picture. */
const IDLE_MS = MINUTE_MS;

/**
 * Draws pictures in a thread of its own, which starts with the first one, and caches them by their SVG. Networks take turns.
 */
export class Painter {
	readonly #cache = createSizedCache<Png>(CACHE, (png) => png.length);
	readonly #limiter = new FairLimiter(BOUNDS);
	readonly #drawing = new Map<string, Promise<Png>>();
	#worker: Worker | null = null;
	#idle: Timer | undefined;

	/**
	 * Returns a picture as PNG.
	 * @param address the key by which limits count the client's address
	 * @throws ResortError `unavailable` if too many pictures are requested
	 */
	async draw(svg: string, address: string): Promise<Png> {
		const key = Bun.CryptoHasher.hash("sha256", svg, "hex");
		const known = this.#cache.get(key) ?? this.#drawing.get(key);
		if (known !== undefined) return known;
		const drawing = this.#limiter
			.run(networkSlot(address), () => this.#request(svg))
			.then((png) => {
				this.#cache.set(key, png);
				return png;
			})
			.catch((error) => {
				if (!(error instanceof LimitExceeded)) throw error;
				throw new ResortError(
					"unavailable",
					"Too many pictures are requested",
					{
						hint: "Repeat the call later.",
						retryAfterSeconds: 5,
					},
				);
			})
			.finally(() => this.#drawing.delete(key));
		this.#drawing.set(key, drawing);
		return drawing;
	}

	/** Ends the thread. The next picture starts another one. */
	close(): void {
		clearTimeout(this.#idle);
		this.#worker?.terminate();
		this.#worker = null;
	}

	/** Sends a picture to the thread, which draws no other one at the time. */
	#request(svg: string): Promise<Png> {
		clearTimeout(this.#idle);
		const worker = this.#worker ?? startWorker();
		this.#worker = worker;
		const { promise, resolve, reject } = Promise.withResolvers<Png>();
		const timeout = setTimeout(
			() => reject(new Error("a picture took too long")),
			TIMEOUT_MS,
		);
		worker.onmessage = ({ data }: MessageEvent<Png>) => resolve(data);
		worker.onerror = ({ message }) =>
			reject(new Error(`a picture was not drawn: ${message}`));
		worker.postMessage(svg);
		return promise
			.catch((error) => {
				this.close();
				throw error;
			})
			.finally(() => {
				clearTimeout(timeout);
				if (this.#worker === null) return;
				this.#idle = setTimeout(() => this.close(), IDLE_MS);
				this.#idle.unref();
			});
	}
}

/** In the executable, all modules are at the root, but the thread is at its path from the checkout. */
const WORKER =
	Bun.embeddedFiles.length > 0
		? "./src/web/share-pictures/draw-worker.ts"
		: "./draw-worker.ts";

function startWorker(): Worker {
	const worker = new Worker(new URL(WORKER, import.meta.url).href);
	// The thread does not keep a program running that has nothing else to do.
	worker.unref();
	return worker;
}

import { createSizedCache } from "../../lib/bounded-cache.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import { FairLimiter, LimitExceeded } from "../../lib/fair-limiter.ts";
import { networkSlot } from "../../lib/network-limits.ts";
import { ResortError } from "../../lib/resort-error.ts";

type Png = Uint8Array<ArrayBuffer>;

/** The bounds of the cache. It has room for about 600 pictures. */
const CACHE = { maxEntries: 2_000, maxBytes: 16 * 1024 * 1024 };

/**
 * Only one picture is drawn at a time, because drawing occupies a whole processor. At most 100 requests wait.
 */
const BOUNDS = { running: 1, waiting: 100 };

/** The time limit for a picture. Usually a picture takes less than a tenth of a second. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** The thread ends when it has drawn no picture for this time, because it uses 30 MiB. */
const IDLE_MS = MINUTE_MS;

/**
 * Draws pictures in a separate thread, and starts this thread for the first picture. Caches each PNG by the
 * hash of its SVG. Requests wait in a queue in which client networks take turns.
 */
export class Painter {
	readonly #cache = createSizedCache<Png>(CACHE, (png) => png.length);
	readonly #limiter = new FairLimiter(BOUNDS);
	readonly #drawing = new Map<string, Promise<Png>>();
	#worker: Worker | null = null;
	#idle: Timer | undefined;

	/**
	 * Returns a picture as PNG.
	 * @param address the client's IPv4 address or IPv6 /64 network
	 * @throws ResortError `unavailable` if too many requests are waiting; Error if drawing fails or takes
	 * longer than {@link TIMEOUT_MS}
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
				throw new ResortError("unavailable", "Too many pictures requested", {
					hint: "Repeat the call later.",
					retryAfterSeconds: 5,
				});
			})
			.finally(() => this.#drawing.delete(key));
		this.#drawing.set(key, drawing);
		return drawing;
	}

	/** Ends the thread. The next picture starts a new thread. */
	close(): void {
		clearTimeout(this.#idle);
		this.#worker?.terminate();
		this.#worker = null;
	}

	/**
	 * Sends a picture to the thread and waits for the PNG. Call it only while the thread draws no other
	 * picture.
	 */
	#request(svg: string): Promise<Png> {
		clearTimeout(this.#idle);
		const worker = this.#worker ?? startWorker();
		this.#worker = worker;
		const { promise, resolve, reject } = Promise.withResolvers<Png>();
		const timeout = setTimeout(() => reject(new Error("a picture took too long")), TIMEOUT_MS);
		worker.onmessage = ({ data }: MessageEvent<Png>) => resolve(data);
		worker.onerror = ({ message }) => reject(new Error(`a picture was not drawn: ${message}`));
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

/**
 * The path of the thread's module, relative to this module. In the executable, this module is at the root,
 * but the thread's module has the same path as in the repository.
 */
const WORKER = Bun.embeddedFiles.length > 0 ? "./src/web/share-pictures/draw-worker.ts" : "./draw-worker.ts";

function startWorker(): Worker {
	const worker = new Worker(new URL(WORKER, import.meta.url).href);
	// Lets the program exit while the thread is running.
	worker.unref();
	return worker;
}

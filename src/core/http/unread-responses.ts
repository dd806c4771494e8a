import type { Server } from "bun";
import { originalRequest } from "./absolute-request.ts";

const MIB = 1024 * 1024;

/** The size from which a body is counted. */
const LARGE_BYTES = 64 * 1024;

/** The maximum number of bytes of bodies that clients have not read yet. */
const MAX_BYTES = 256 * MIB;

/** The number of counted bytes from which the bodies that have been read are removed. */
const CLEANED_FROM_BYTES = 16 * MIB;

/**
 * The time after which the connection of a client that reads nothing is closed. The runtime rounds it up to a
 * multiple of 4 s.
 */
const IDLE_SECONDS = 15;

/**
 * The methods of the server that are used. `requestIP` returns null after the response was sent or the client
 * disconnected. This shows that a response is not unread any more.
 */
type Connections = Pick<Server<undefined>, "requestIP" | "timeout">;

/**
 * Bounds the memory of large responses. The runtime sends a Blob without copying it, so a body that many
 * clients read counts once. If the bound is exceeded, the response is a 503.
 */
export class UnreadResponses {
	/** The large responses that their clients may not have read yet. */
	#unread: { readonly request: Request; readonly body: Blob }[] = [];
	/** An upper bound of the unread bytes: their number at the last clean-up, and all bodies since then. */
	#maxBytes = 0;

	constructor(
		private readonly server: Connections,
		private readonly maxBytes = MAX_BYTES,
		private readonly idleSeconds = IDLE_SECONDS,
	) {}

	/**
	 * Counts a large body as unread, and sets the idle timeout of the connection.
	 * @returns whether the body may be sent; false if the unread bodies exceed the bound
	 */
	admits(received: Request, body: Blob): boolean {
		if (body.size < LARGE_BYTES || received.method === "HEAD") return true;
		const request = originalRequest(received);
		this.#unread.push({ request, body });
		this.#maxBytes += body.size;
		if (this.#maxBytes > CLEANED_FROM_BYTES && this.bytes > this.maxBytes) {
			this.#unread.pop();
			return false;
		}
		this.server.timeout(request, this.idleSeconds);
		return true;
	}

	/** The total size of the bodies that are unread now. */
	get bytes(): number {
		this.#unread = this.#unread.filter(({ request }) => this.server.requestIP(request) !== null);
		const bodies = new Set(this.#unread.map(({ body }) => body));
		this.#maxBytes = [...bodies].reduce((sum, { size }) => sum + size, 0);
		return this.#maxBytes;
	}
}

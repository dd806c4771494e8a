import type { Server } from "bun";
import { baseHeaders, type CreateLargeResponse, REQUEST_ID } from "./send-response.ts";

/** The size from which a body is counted. */
const LARGE_BYTES = 64 * 1024;

/**
 * The time after which the connection of a client that reads nothing is closed. The runtime rounds it up to a
 * multiple of 4 s.
 */
const IDLE_SECONDS = 15;

const MIB = 1024 * 1024;

/** The bounds for response bodies that clients have not read yet. */
const MAX_BYTES = { address: 64 * MIB, total: 256 * MIB };

/** A large response that its client may not have read yet. */
interface UnreadResponse {
	readonly request: Request;
	readonly address: string;
	readonly body: Blob;
}

/**
 * The methods of the server that are used. `requestIP` returns null after the response was sent or the client
 * disconnected. This shows that a response is not unread any more.
 */
type Connections = Pick<Server<undefined>, "requestIP" | "timeout">;

/**
 * Bounds the memory of large responses. The runtime sends a Blob without copying it, so a body that many
 * clients read counts once. If a bound is exceeded, the response is a 503.
 */
export class UnreadResponses {
	#unread: UnreadResponse[] = [];
	/**
	 * An upper bound of the unread bytes: the sum at the last check, plus the size of every body added since
	 * then.
	 */
	#maxUnreadBytes = 0;

	constructor(
		private readonly server: Connections,
		private readonly maxBytes = MAX_BYTES,
		private readonly idleSeconds = IDLE_SECONDS,
	) {}

	/**
	 * Creates a response. Counts a large body as unread, and sets the idle timeout of the connection. The
	 * response is a 503 if the unread bodies exceed a bound.
	 * @param request as the runtime created it
	 * @param addressOf returns the key by which limits count the client's address
	 */
	create(
		request: Request,
		body: Blob,
		init: Parameters<CreateLargeResponse>[2],
		addressOf: (request: Request) => string,
	): Response {
		if (body.size < LARGE_BYTES || request.method === "HEAD") {
			return new Response(body, init);
		}
		const address = addressOf(request);
		this.#maxUnreadBytes += body.size;
		if (this.#maxUnreadBytes > this.maxBytes.address) {
			this.#removeRead();
			const all = bytesOf([...this.#unread, { body }]);
			const own = this.#unread.filter((one) => one.address === address);
			const isOver = all > this.maxBytes.total || bytesOf([...own, { body }]) > this.maxBytes.address;
			if (isOver) return refuse(init);
		}
		this.#unread.push({ request, address, body });
		this.server.timeout(request, this.idleSeconds);
		return new Response(body, init);
	}

	/** The total size of the bodies that are unread now. */
	get bytes(): number {
		this.#removeRead();
		return bytesOf(this.#unread);
	}

	#removeRead(): void {
		this.#unread = this.#unread.filter(({ request }) => this.server.requestIP(request) !== null);
		this.#maxUnreadBytes = bytesOf(this.#unread);
	}
}

/** Returns the total size of the bodies. A body that several responses share counts once. */
function bytesOf(responses: readonly Pick<UnreadResponse, "body">[]): number {
	const bodies = new Set(responses.map(({ body }) => body));
	return [...bodies].reduce((sum, { size }) => sum + size, 0);
}

function refuse({ headers }: Parameters<CreateLargeResponse>[2]): Response {
	const body = {
		error: "Too many unread responses",
		hint: "Read the open responses to the end, or request part of the list with limit and offset.",
	};
	return Response.json(body, {
		status: 503,
		headers: {
			...baseHeaders,
			"retry-after": "5",
			[REQUEST_ID]: new Headers(headers).get(REQUEST_ID) ?? "",
		},
	});
}

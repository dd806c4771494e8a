import type { Server } from "bun";
import { baseHeaders, type CreateLargeResponse, REQUEST_ID } from "./send-response.ts";

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
	 * Creates a response. Counts a large body as unread, and sets the idle timeout of the connection.
	 * @param request as the runtime created it
	 * @returns a 503 if the unread bodies exceed the bound
	 */
	create(request: Request, body: Blob, init: Parameters<CreateLargeResponse>[2]): Response {
		if (body.size < LARGE_BYTES || request.method === "HEAD") return new Response(body, init);
		this.#unread.push({ request, body });
		this.#maxBytes += body.size;
		if (this.#maxBytes > CLEANED_FROM_BYTES && this.bytes > this.maxBytes) {
			this.#unread.pop();
			return refuse(init);
		}
		this.server.timeout(request, this.idleSeconds);
		return new Response(body, init);
	}

	/** The total size of the bodies that are unread now. */
	get bytes(): number {
		this.#unread = this.#unread.filter(({ request }) => this.server.requestIP(request) !== null);
		const bodies = new Set(this.#unread.map(({ body }) => body));
		this.#maxBytes = [...bodies].reduce((sum, { size }) => sum + size, 0);
		return this.#maxBytes;
	}
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

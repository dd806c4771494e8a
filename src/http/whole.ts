/**
 * A request whose URL is whole. Of one whose `Host` is missing, as HTTP/1.0 allows, or cannot stand in a URL, the
 * runtime gives the target alone as its URL, which the framework would misread.
 */
export class WholeRequest extends Request {
	/** The request as it came: the runtime knows the connection of that one alone. */
	readonly original: Request;

	private constructor(original: Request) {
		const { url, method, headers, body } = original;
		// Not `new Request(url, original)`: an unread body would drop the connection.
		super(`http://localhost${url}`, { method, headers, body });
		this.original = original;
	}

	/** The request itself when its URL is whole. */
	static of(request: Request): Request {
		return request.url.startsWith("/") ? new WholeRequest(request) : request;
	}
}

/** A request as it came. */
export function asItCame(request: Request): Request {
	return request instanceof WholeRequest ? request.original : request;
}

/**
 * A request with an absolute URL. If its `Host` is missing, as HTTP/1.0 allows, or is invalid in a URL, the runtime's URL
 * is the target alone, which the router would misread.
 */
export class AbsoluteRequest extends Request {
	/** The request of the runtime: the server finds a connection only by this object. */
	readonly original: Request;

	constructor(original: Request) {
		const { url, method, headers, body } = original;
		// Not `new Request(url, original)`: an unread body would close the connection.
		super(`http://localhost${url}`, { method, headers, body });
		this.original = original;
	}
}

/** Returns the request that the runtime created. */
export function originalRequest(request: Request): Request {
	return request instanceof AbsoluteRequest ? request.original : request;
}

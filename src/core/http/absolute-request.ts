/**
 * A request with an absolute URL. For a request whose `Host` is missing (allowed in HTTP/1.0) or invalid, the
 * runtime uses the bare target as the URL, and the router would find the wrong path in it.
 */
export class AbsoluteRequest extends Request {
	/**
	 * The request object created by the runtime. The methods of the server identify a connection by this
	 * object.
	 */
	readonly original: Request;

	constructor(original: Request) {
		const { url, method, headers, body } = original;
		// `new Request(url, original)` would close the connection if the body stays unread.
		super(`http://localhost${url}`, { method, headers, body });
		this.original = original;
	}
}

/** Returns the request object created by the runtime. */
export function originalRequest(request: Request): Request {
	return request instanceof AbsoluteRequest ? request.original : request;
}

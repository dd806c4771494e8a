const originals = new WeakMap<Request, Request>();

/**
 * A request whose URL is whole. Of one whose `Host` is missing, as HTTP/1.0 allows, or cannot stand in a URL
 * the runtime tells the target alone, which the framework would misread.
 */
export function wholeRequest(request: Request): Request {
	const { url } = request;
	if (!url.startsWith("/")) return request;
	const { method, headers, body } = request;
	// Not by taking over the request: then a body that is not read to its end ends the connection unanswered.
	const made = new Request(`http://localhost${url}`, {
		method,
		headers,
		body,
	});
	originals.set(made, request);
	return made;
}

/** A request as it came: of that alone the runtime knows the connection. */
export function requestAsItCame(request: Request): Request {
	return originals.get(request) ?? request;
}

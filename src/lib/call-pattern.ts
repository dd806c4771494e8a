/** The calls that a text for callers of operations names: method, and path with its query. */
export const CALLS =
	/\b(GET|POST|PATCH|DELETE) (\/(?:[\w/{}:?=&-]|\.(?=\w))*)/g;

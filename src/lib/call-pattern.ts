/** Matches the calls that a text for callers contains: the method, and the path with its query. */
export const CALLS =
	/\b(GET|POST|PATCH|DELETE) (\/(?:[\w/{}:?=&-]|\.(?=\w))*)/g;

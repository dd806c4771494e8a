/** Matches each HTTP call that a text mentions: the method, and the path with its query. */
export const CALLS =
	/\b(GET|POST|PATCH|DELETE) (\/(?:[\w/{}:?=&-]|\.(?=\w))*)/g;

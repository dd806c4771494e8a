/** Matches the HTTP calls in a text: a method, followed by a path with its query. */
export const CALLS = /\b(GET|POST|PATCH|DELETE) (\/(?:[\w/{}:?=&-]|\.(?=\w))*)/g;

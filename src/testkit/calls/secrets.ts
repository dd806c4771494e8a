/** What stands in place of a secret. */
const HIDDEN = "(hidden)";

/** How often escapes are undone: nobody escapes a key more often by mistake. */
const MOST_ESCAPES = 3;

/** Names of parameters that hold a secret, whatever it looks like. */
const SECRET_NAME =
	/^(authorization|password|session|cookie)$|key$|token$|secret$/i;

/** The beginning of a key or of a webhook's secret. */
const KEY_START = /(?<![a-z0-9])(ar_|ai_|whsec_)/i;

/** The beginning of a field `Authorization`. */
const FIELD_START = /(?<![a-z0-9])(bearer\b|basic\s)/i;

/** What may be the token of a session, or another credential. */
const LONG_WORD = /[\w.~+/=-]{32,}/g;

/** What no secret looks like: the ids of agents, stays and experiences. */
const ID = /(exp-)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/**
 * A query without secrets: in place of a value that may be a credential stands `(hidden)`.
 * @param query as it was sent, without its question mark
 */
export function maskQuery(query: string): string {
	if (query === "") return "";
	return query.split("&").map(maskPair).join("&");
}

/** A path without secrets, segment by segment. */
export function maskPath(path: string): string {
	return path
		.split("/")
		.map((segment) => (isSecret(plainOf(segment)) ? HIDDEN : segment))
		.join("/");
}

/** The id of a request, or `(hidden)` where it may be a key: it is often as long as a token. */
export function maskRequestId(id: string): string {
	return KEY_START.test(id) ? HIDDEN : id;
}

function maskPair(pair: string): string {
	const at = pair.indexOf("=");
	const name = at === -1 ? pair : pair.slice(0, at);
	const value = at === -1 ? "" : pair.slice(at + 1);
	if (isSecret(plainOf(name))) return HIDDEN;
	const holdsSecret =
		value !== "" &&
		(SECRET_NAME.test(plainOf(name)) || isSecret(plainOf(value)));
	return holdsSecret ? `${name}=${HIDDEN}` : pair;
}

function isSecret(plain: string): boolean {
	if (KEY_START.test(plain) || FIELD_START.test(plain)) return true;
	const rest = plain.replace(ID, " ");
	return (rest.match(LONG_WORD) ?? []).some((word) => /\d/.test(word));
}

/** A text without escapes. */
function plainOf(text: string): string {
	let plain = text.replaceAll("+", " ");
	for (let times = 0; times < MOST_ESCAPES && plain.includes("%"); times++) {
		plain = plain.replace(/%[\da-f]{2}/gi, (code) =>
			String.fromCharCode(Number.parseInt(code.slice(1), 16)),
		);
	}
	return plain;
}

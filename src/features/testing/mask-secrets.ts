/** The replacement for a secret. */
const HIDDEN = "(hidden)";

/**
 * How many layers of percent-encoding are decoded, because programs encode values several times by mistake.
 */
const MAX_DECODES = 3;

/** Matches names of parameters whose values are always secret. */
const SECRET_NAME = /^(authorization|password|session|cookie)$|key$|token$|secret$/i;

/** Matches the prefix of an API key or a webhook secret. */
const KEY_START = /(?<![a-z0-9])(ar_|ai_|whsec_)/i;

/** Matches the beginning of the value of an `Authorization` header. */
const FIELD_START = /(?<![a-z0-9])(bearer\b|basic\s)/i;

/** Matches words that are long enough to be a session token or another credential. */
const LONG_WORD = /[\w.~+/=-]{32,}/g;

/** Matches the ids of agents, stays and experiences, which are not secret. */
const ID = /(exp-)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Replaces all values in an encoded query that may be credentials by `(hidden)`. */
export function maskQuery(query: string): string {
	const pairs = query.split("&").map((pair) => {
		const [name = "", ...values] = pair.split("=");
		if (isSecret(name)) return HIDDEN;
		const value = values.join("=");
		return value !== "" && (SECRET_NAME.test(decode(name)) || isSecret(value)) ? `${name}=${HIDDEN}` : pair;
	});
	return pairs.join("&");
}

/** Replaces all segments of a path that may be credentials by `(hidden)`. */
export function maskPath(path: string): string {
	const segments = path.split("/").map((segment) => (isSecret(segment) ? HIDDEN : segment));
	return segments.join("/");
}

/** Replaces a request id with a key prefix. Valid request ids may be as long as a token. */
export function maskRequestId(id: string): string {
	return KEY_START.test(id) ? HIDDEN : id;
}

function isSecret(text: string): boolean {
	const decoded = decode(text);
	if (KEY_START.test(decoded) || FIELD_START.test(decoded)) return true;
	const words = decoded.replace(ID, " ").match(LONG_WORD) ?? [];
	return words.some((word) => /\d/.test(word));
}

function decode(text: string): string {
	let decoded = text.replaceAll("+", " ");
	for (let times = 0; times < MAX_DECODES; times++) {
		decoded = decoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
	}
	return decoded;
}

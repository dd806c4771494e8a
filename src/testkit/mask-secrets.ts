/** Replaces a secret. */
const HIDDEN = "(hidden)";

/** How often percent-encoding is decoded: repeated encoding by mistake goes no deeper. */
const MAX_DECODES = 3;

/** Names of parameters whose values are always secret. */
const SECRET_NAME =
	/^(authorization|password|session|cookie)$|key$|token$|secret$/i;

/** The prefix of an API key or a webhook secret. */
const KEY_START = /(?<![a-z0-9])(ar_|ai_|whsec_)/i;

/** The beginning of an `Authorization` header. */
const FIELD_START = /(?<![a-z0-9])(bearer\b|basic\s)/i;

/** Long enough for a session token or another credential. */
const LONG_WORD = /[\w.~+/=-]{32,}/g;

/** The ids of agents, stays and experiences, which are not secret. */
const ID = /(exp-)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Replaces every value of an encoded query that may be a credential by `(hidden)`. */
export function maskQuery(query: string): string {
	if (query === "") return "";
	return query.split("&").map(maskPair).join("&");
}

/** Replaces every segment of a path that may be a credential by `(hidden)`. */
export function maskPath(path: string): string {
	return path
		.split("/")
		.map((segment) => (isSecret(decode(segment)) ? HIDDEN : segment))
		.join("/");
}

/** Replaces a request id that contains a key prefix. Length is no sign here: request ids are as long as tokens. */
export function maskRequestId(id: string): string {
	return KEY_START.test(id) ? HIDDEN : id;
}

function maskPair(pair: string): string {
	const [name = "", ...values] = pair.split("=");
	const value = values.join("=");
	if (isSecret(decode(name))) return HIDDEN;
	const holdsSecret =
		value !== "" && (SECRET_NAME.test(decode(name)) || isSecret(decode(value)));
	return holdsSecret ? `${name}=${HIDDEN}` : pair;
}

function isSecret(decoded: string): boolean {
	if (KEY_START.test(decoded) || FIELD_START.test(decoded)) return true;
	const rest = decoded.replace(ID, " ");
	return (rest.match(LONG_WORD) ?? []).some((word) => /\d/.test(word));
}

function decode(text: string): string {
	let decoded = text.replaceAll("+", " ");
	for (let times = 0; times < MAX_DECODES && decoded.includes("%"); times++) {
		decoded = decoded.replace(/%[\da-f]{2}/gi, (code) =>
			String.fromCharCode(Number.parseInt(code.slice(1), 16)),
		);
	}
	return decoded;
}

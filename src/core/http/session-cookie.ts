import { SECOND_MS } from "../lib/clock.ts";
import { SESSION_COOKIE, SESSION_MS } from "../resort/sessions/service.ts";

/**
 * Creates a function that returns the value of the first cookie with a name in a `Cookie` field; an empty
 * string if there is none. Only spaces and tabs may surround the cookie's name. Browsers do not apply the
 * `__Host-` protection to a name that begins with another white-space character, such as U+00A0, so another
 * host of the same domain could set such a cookie.
 */
export function cookieReader(name: string): (header: string | null) => string {
	const pair = new RegExp(`(?:^|;)[ \\t]*${name}[ \\t]*=([^;]*)`);
	return (header) => {
		const [, value = ""] = pair.exec(header ?? "") ?? [];
		return value.trim();
	};
}

/** Returns the value of the first session cookie in a `Cookie` field; an empty string if there is none. */
export const sessionToken = cookieReader(SESSION_COOKIE);

/**
 * Returns the `Set-Cookie` field (RFC 6265) of a session.
 * @param token null to delete the cookie, for which browsers require the same attributes
 */
export function sessionCookie(token: string | null): string {
	const maxAge = token === null ? 0 : SESSION_MS / SECOND_MS;
	return `${SESSION_COOKIE}=${token ?? ""}; Max-Age=${maxAge}; Path=/; HttpOnly; Secure; SameSite=Strict`;
}

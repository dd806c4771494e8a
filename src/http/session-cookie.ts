import { serializeCookie } from "elysia";
import { SECOND_MS } from "../lib/clock.ts";
import { SESSION_COOKIE, SESSION_MS } from "../resort/sessions/service.ts";

/**
 * The cookie in a `Cookie` field. Only a space and a tab may surround its name: a browser does not protect a name that
 * begins with another blank, such as U+00A0, so that other hosts may set it.
 */
const PAIR = new RegExp(`(?:^|;)[ \\t]*${SESSION_COOKIE}[ \\t]*=([^;]*)`);

const attributes = {
	path: "/",
	httpOnly: true,
	secure: true,
	sameSite: "strict",
} as const;

/** Returns the session token of a `Cookie` field, of the first cookie with the name; an empty string if there is none. */
export function sessionToken(header: string | null): string {
	const [, value = ""] = PAIR.exec(header ?? "") ?? [];
	return value.trim();
}

/**
 * Returns the `Set-Cookie` field (RFC 6265) of a session.
 * @param token null to delete the cookie, which a browser does only with all of its attributes
 */
export function sessionCookie(token: string | null): string {
	const maxAge = token === null ? 0 : SESSION_MS / SECOND_MS;
	const cookie = { value: token ?? "", maxAge, ...attributes };
	return String(serializeCookie({ [SESSION_COOKIE]: cookie }));
}

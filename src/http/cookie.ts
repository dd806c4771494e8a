import type { Cookie } from "elysia";
import { SECOND_MS } from "../lib/clock.ts";
import { SESSION_MS } from "../resort/sessions/service.ts";

/** The name of the session cookie; its prefix binds it to this host and to https (RFC 6265bis, 4.1.3.2). */
const SESSION_COOKIE = "__Host-resort_session";

/**
 * The cookie in a `Cookie` field. Only a space and a tab may stand around its name: a browser gives its
 * protection to none that begins with another blank, such as U+00A0, so that other hosts may set those.
 */
const PAIR = new RegExp(`(?:^|;)[ \\t]*${SESSION_COOKIE}[ \\t]*=([^;]*)`);

const attributes = {
	path: "/",
	secure: true,
	httpOnly: true,
	sameSite: "strict",
} as const;

/** The cookies of an answer. */
type Cookies = Record<string, Cookie<unknown>>;

/**
 * The session token that a request carries, or an empty string. It is looked for by hand, as the framework
 * takes longer to read cookies than the rest of a request's guards. A token needs no escapes and no quotes.
 * @param header its `Cookie` field; the first cookie of the name counts
 */
export function sessionToken(header: string | null): string {
	const [, value = ""] = PAIR.exec(header ?? "") ?? [];
	return value.trim();
}

/** Sets the session cookie to a token (decisions 4). */
export function setSessionCookie(cookies: Cookies, token: string): void {
	cookies[SESSION_COOKIE]?.set({
		...attributes,
		value: token,
		maxAge: SESSION_MS / SECOND_MS,
	});
}

/** Clears the session cookie: a browser takes that only with all of its attributes. */
export function clearSessionCookie(cookies: Cookies): void {
	cookies[SESSION_COOKIE]?.set({ ...attributes, value: "", maxAge: 0 });
}

import type { Cookie } from "elysia";
import { SECOND_MS } from "../lib/clock.ts";
import { SESSION_MS } from "../sessions/service.ts";

/** The name of the session cookie; its prefix binds it to this host and to https (RFC 6265bis, 4.1.3.2). */
const SESSION_COOKIE = "__Host-resort_session";

const attributes = {
	path: "/",
	secure: true,
	httpOnly: true,
	sameSite: "strict",
} as const;

/** A request's cookies, and those of its answer. */
type Cookies = Record<string, Cookie<unknown>>;

/** The session token that a request carries, or an empty string. */
export function sessionToken(cookies: Cookies): string {
	const token = cookies[SESSION_COOKIE]?.value;
	// The framework parses values that look like JSON, and gives null for a broken escape.
	return typeof token === "string" ? token : "";
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

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

/** The cookies of an answer. */
type Cookies = Record<string, Cookie<unknown>>;

/**
 * The session token that a request carries, or an empty string. It is looked for by hand, as the framework
 * takes longer to read cookies than the rest of a request's guards.
 * @param header its `Cookie` field; the first cookie of the name counts
 */
export function sessionToken(header: string | null): string {
	for (const pair of header?.split(";") ?? []) {
		const [name, ...value] = pair.split("=");
		if (name?.trim() === SESSION_COOKIE) return value.join("=").trim();
	}
	return "";
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

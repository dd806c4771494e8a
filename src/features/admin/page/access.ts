/** Restricts the addresses at which browsers can use the host's page. Reads and writes its session cookie. */
import { refusalOfPage } from "../../../core/http/origin-check.ts";
import { isRead } from "../../../core/http/received-request.ts";
import { cookieReader } from "../../../core/http/session-cookie.ts";
import { SECOND_MS } from "../../../core/lib/clock.ts";
import { isLoopback } from "../../../core/lib/ip-address.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import type { Context } from "../../../core/resort/context.ts";
import { ADMIN } from "./shell.ts";
import { lifetimes } from "./tokens.ts";

/**
 * How a browser reaches the page. `secure`: over https. `local`: over http on this machine, where some
 * browsers refuse cookies with the attribute `Secure`.
 */
export type Door = "secure" | "local";

/** A session that a browser claims to have. */
export interface ClaimedSession {
	readonly token: string;
	/** How the browser reached the page when it got the cookie. */
	readonly door: Door;
}

const cookieNames = { secure: "__Host-resort_admin", local: "resort_admin" } as const;

const readers = { secure: cookieReader(cookieNames.secure), local: cookieReader(cookieNames.local) };

/**
 * Returns how a browser reaches the page. Refuses requests for other host names, and requests from pages of
 * other origins. GET requests are checked too: in a DNS rebinding attack, the browser lets a page of the
 * attacker read responses of the resort. As an exception, links from other sites to {@link ADMIN}/enter work,
 * because that page shows only a button.
 * @throws ResortError `forbidden`
 */
export function doorOf(request: Request, context: Context): Door {
	const { headers } = request;
	const own = new URL(context.baseUrl);
	const address = `${context.baseUrl}${ADMIN}`;
	const isCodeLink =
		isRead(request) &&
		headers.get("sec-fetch-mode") === "navigate" &&
		new URL(request.url).pathname === `${ADMIN}/enter`;
	const origin = headers.get("origin");
	const authority = `http://${headers.get("host") ?? ""}`;
	const host = hostNameOf(authority);
	// At the local end of an SSH tunnel, the page is plain http even if the base URL is https. A page with this
	// loopback origin cannot come from an attacker in the network.
	const isTunnel = isLoopback(host) && origin === authority;
	const isExempt = isCodeLink || isTunnel;
	const refusal = isExempt ? null : refusalOfPage(request, context, `Open ${address} in the browser.`);
	if (refusal !== null) throw refusal;
	// A proxy may have replaced `Host`. Then `Origin` decides, because no page can choose its `Origin`.
	if (own.protocol === "https:" && (host === own.hostname || origin === own.origin)) return "secure";
	const isLocalOrigin = origin === null || origin === "null" || isLoopback(hostNameOf(origin));
	if (isLoopback(host) && isLocalOrigin) return "local";
	throw new ResortError("forbidden", "The host's page is not available at this address", {
		hint:
			own.protocol === "https:"
				? `Open ${address} in the browser. A proxy in front of the resort must forward Host.`
				: "It requires https, or a browser on the machine of the resort, such as through an SSH tunnel. Set --base-url to the https: address of the resort.",
	});
}

function hostNameOf(url: string): string {
	return URL.parse(url)?.hostname ?? "";
}

/** Returns the session that a request claims; null if it has no cookie. */
export function claimedSession({ headers }: Request, door: Door): ClaimedSession | null {
	// If a proxy has replaced `Host`, a browser that uses https seems to be local, but has the cookie with the
	// prefix `__Host-`. Over https, only this cookie is read, because no other host can set it.
	const doors = door === "secure" ? (["secure"] as const) : (["secure", "local"] as const);
	for (const one of doors) {
		const token = readers[one](headers.get("cookie"));
		if (token !== "") return { token, door: one };
	}
	return null;
}

/** Returns the `Set-Cookie` field (RFC 6265) of a session. With an empty token, it deletes the cookie. */
export function cookieOf({ token, door }: ClaimedSession): string {
	const maxAge = token === "" ? 0 : lifetimes.session / SECOND_MS;
	const secure = door === "secure" ? "; Secure" : "";
	return `${cookieNames[door]}=${token}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

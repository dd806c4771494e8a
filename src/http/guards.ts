import type { Elysia } from "elysia";
import type { Authentication } from "../access/authentication.ts";
import { type LimitName, limits, RATE_LIMIT } from "../access/limits.ts";
import { isSigned } from "../access/provider/signed.ts";
import { Keeping } from "../answers/keeping.ts";
import { type AddressRange, clientKey, isLoopback } from "../lib/address.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { touch } from "../resort/agents/known.ts";
import { failures } from "../resort/failures.ts";
import type { Resort } from "../resort/resort.ts";
import type { Topic } from "../store/changes.ts";
import { bodyDigest, refuseFault } from "./body.ts";
import { sessionToken } from "./cookie.ts";
import { headersOfPublic } from "./headers.ts";
import { isForeign } from "./origin.ts";
import type { HttpState } from "./state.ts";

/** Which credentials an operation takes: the contract's S|B, B and S. */
export type Credentials = "any" | "key" | "session";

/** The names of the credentials in the OpenAPI document. */
const schemesOf: Record<Credentials, Record<string, string[]>[]> = {
	any: [{ bearerKey: [] }, { sessionCookie: [] }],
	key: [{ bearerKey: [] }],
	session: [{ sessionCookie: [] }],
};

/** What the HTTP layer needs beside the resort. */
export interface HttpOptions {
	/** The address at the other end of a request's connection. */
	readonly peerAddress: (request: Request) => string;
	/** The public address of the resort, without a slash at its end. */
	readonly baseUrl: string;
	readonly rateLimits: boolean;
	readonly trustedProxies: readonly AddressRange[];
}

/** What the guards work with. */
export interface GuardParts {
	readonly state: HttpState;
	readonly authentication: Authentication;
	/** The operation id of a route, which is the name of its capability (decisions 7). */
	readonly operationOf: (method: string, route: string) => string | undefined;
}

/**
 * Gives an application the guards, as macros; every route has one of the first four. `public` is for reading
 * without a credential, and pages of any origin may do it. `anyone` is for writing without one, but not for
 * pages of other origins: they could use up a visitor's limits. `local` is for programs of this machine and
 * no page of elsewhere. `credential` authenticates before anything else is judged. `limit` counts once the
 * body has been judged.
 */
export function guarded(
	app: Elysia,
	resort: Resort,
	options: HttpOptions,
	{ state, authentication, operationOf }: GuardParts,
) {
	const { windows, callers } = state;
	const ownOrigin = new URL(options.baseUrl).origin;

	const countedBy = (request: Request, name: LimitName) =>
		limits[name].key === "agent"
			? callerOf(request).agent.id
			: clientKey(
					options.peerAddress(request),
					request.headers.get("x-forwarded-for"),
					options.trustedProxies,
				);

	const noCredential = () => failures.noCredential(resort.identity?.url);

	/**
	 * Who sends a request. A signature of the provider decides alone, then a Bearer header, when it is sent
	 * and accepted; else the cookie does (contract, part 5; decisions 4, 7 and 8).
	 * @throws ResortError `unauthorized`, or `unavailable`
	 */
	const authenticate = (
		accepted: Credentials,
		request: Request,
		route: string,
	) => {
		if (accepted !== "session") {
			if (authentication.call !== null && isSigned(request.headers)) {
				return authentication.call({
					method: request.method,
					targetUri: targetUriOf(request, options.baseUrl),
					headers: request.headers,
					bodySha256: bodyDigest(request),
					operationId: operationOf(request.method, route) ?? "",
				});
			}
			const apiKey = bearer(request.headers.get("authorization"));
			if (apiKey !== null) return authentication.key(apiKey);
			if (accepted === "key") throw noCredential();
		}
		const token = sessionToken(request.headers.get("cookie"));
		if (token !== "") return authentication.session(token);
		if (accepted === "any") throw noCredential();
		throw new ResortError("unauthorized", "Unauthorized", {
			hint: "Send the session cookie that POST /api/session sets.",
		});
	};

	const callerOf = (request: Request) => {
		const caller = callers.get(request);
		if (caller === undefined) throw noCredential();
		return caller;
	};

	return app.macro({
		public: {
			detail: { security: [] },
			transform({ set }) {
				Object.assign(set.headers, headersOfPublic);
			},
		},
		anyone: {
			detail: { security: [] },
			transform({ request, body }) {
				if (isForeign(request, ownOrigin)) {
					throw crossOrigin(
						"Send the request from a program, or from a page of this service.",
					);
				}
				refuseFault(body);
			},
		},
		local: {
			detail: { security: [] },
			transform({ request, body }) {
				if (!isToLoopback(request) || isForeign(request, ownOrigin)) {
					throw crossOrigin(
						"Call 127.0.0.1, [::1] or localhost from a program, or from a page of this service.",
					);
				}
				refuseFault(body);
			},
		},
		credential: (accepted: Credentials) => ({
			detail: { security: schemesOf[accepted] },
			async transform({ request, body, route }) {
				const caller = await authenticate(accepted, request, route);
				if (
					caller.credential.kind === "session" &&
					!["GET", "HEAD"].includes(request.method) &&
					isForeign(request, ownOrigin)
				) {
					throw crossOrigin(
						accepted === "session"
							? "Send the request from this service's own origin."
							: "Send the request from this service's own origin, or with Authorization: Bearer <your key>.",
					);
				}
				touch(resort, caller.agent);
				callers.set(request, caller);
				refuseFault(body);
			},
			resolve: ({ request }) => ({ caller: callerOf(request) }),
		}),
		kept: (follows: Topic | "agent" | "document") => ({
			resolve({ request, params }) {
				// Routes without parameters have no such object, whatever the type says.
				const { id }: Record<string, unknown> = params ?? {};
				const keeping = new Keeping(
					resort.store.writer.changes,
					follows === "agent" || follows === "document" ? null : follows,
					typeof id === "string" ? id.toLowerCase() : null,
					resort.clock(),
				);
				state.keeping.set(request, keeping);
				return { keeping };
			},
		}),
		limit: (name: LimitName) => ({
			detail: { [RATE_LIMIT]: limits[name] },
			beforeHandle({ request, set }) {
				if (!options.rateLimits) return;
				const window = windows[name];
				const { admitted, remaining, resetSeconds } = window.admit(
					countedBy(request, name),
					resort.clock(),
				);
				const windowSeconds = window.windowMs / SECOND_MS;
				set.headers["ratelimit-policy"] =
					`"${name}";q=${window.limit};w=${windowSeconds}`;
				set.headers.ratelimit = `"${name}";r=${remaining};t=${resetSeconds}`;
				if (!admitted) {
					throw new ResortError("rate_limited", "Rate limit exceeded", {
						hint: `Wait ${resetSeconds} seconds, then repeat the call.`,
						retryAfterSeconds: resetSeconds,
					});
				}
			},
		}),
	});
}

/** What a feature adds its routes to: an application that knows the macros. */
export type Guarded = ReturnType<typeof guarded>;

/**
 * The public address of a request: the base URL, and the path and query by which it was routed.
 * @returns an empty text when the URL is not whole: then the framework takes a later slash for the beginning of
 * the path
 */
function targetUriOf({ url }: Request, baseUrl: string): string {
	const [, target] = /^https?:\/\/[^/]*(\/.*)$/.exec(url) ?? [];
	return target === undefined ? "" : baseUrl + target;
}

/** @returns the Bearer token, empty when there is none behind the scheme; null for another scheme */
function bearer(authorization: string | null): string | null {
	const match = /^bearer(?:\s+(.*))?$/i.exec(authorization ?? "");
	return match === null ? null : (match[1] ?? "");
}

/**
 * Whether a request is made to this machine by a name of its own. A page may have made its own name lead
 * here (DNS rebinding), and then its origin is that of the host.
 */
function isToLoopback(request: Request): boolean {
	const url = URL.parse(`http://${request.headers.get("host")}`);
	return url !== null && isLoopback(url.hostname);
}

function crossOrigin(hint: string): ResortError {
	return new ResortError("forbidden", "Cross-origin request refused", { hint });
}

import { SECOND_MS } from "../../core/lib/clock.ts";
import { isRecord } from "../../core/lib/record.ts";
import { codePoints, isStorable } from "../../core/lib/text.ts";
import { outage } from "./introspection-client.ts";

const RESORT = "resort";
const SCOPE = "resort:use";
const MAX_SUBJECT_LENGTH = 255;
/** The maximum length of a cached username, in UTF-16 units. The name of an agent is shorter. */
const MAX_USERNAME_LENGTH = 1_000;

/** The owner of a central key. */
export interface Identity {
	/** The provider's URL without a trailing slash. */
	readonly issuer: string;
	/** 1 to 255 code points without control characters. */
	readonly subject: string;
	/** The provider's username, truncated to 1,000 characters. It may contain any character. */
	readonly username: string | null;
}

const NEVER_MS = Number.POSITIVE_INFINITY;

/** The parts of an introspection response that the resort uses. */
export interface Introspection {
	/** Null if the key is refused. */
	readonly identity: Identity | null;
	/** When the key expires, in milliseconds since the epoch; infinity if it does not expire. */
	readonly expiresMs: number;
}

/**
 * Parses the body of an introspection response (RFC 7662 section 2.2). A key is accepted if it is active, was
 * issued by `identityUrl` for this resort, has the scope `resort:use` and a valid subject, and has not
 * expired. If one of the members that are checked has the wrong type, such as `"exp": null`, the key is
 * refused. `username` is not checked, so it may have any type.
 * @param body the parsed JSON
 * @param identityUrl the provider's URL, without a trailing slash
 * @throws the error of {@link outage} if the body is not an introspection response, that is, not an object
 * with the member `active`
 */
export function readIntrospection(body: unknown, identityUrl: string, nowMs: number): Introspection {
	if (!isRecord(body) || body.active === undefined) throw outage("not an introspection response");
	const { active, iss, sub, exp, scope, username } = body;
	// A key whose expiry time is not a number is refused, because every comparison with NaN is false.
	const endSeconds = typeof exp === "number" ? exp : Number.NaN;
	const expiresMs = exp === undefined ? NEVER_MS : endSeconds * SECOND_MS;
	const isAccepted =
		active === true &&
		typeof iss === "string" &&
		withoutSlash(iss) === identityUrl &&
		isForResort(body) &&
		typeof scope === "string" &&
		scope.split(" ").includes(SCOPE) &&
		expiresMs > nowMs;
	if (!isAccepted || !isSubject(sub)) return { identity: null, expiresMs: NEVER_MS };
	// `join` makes a copy: a slice would keep the whole text in memory.
	const name = typeof username === "string" ? [...username.slice(0, MAX_USERNAME_LENGTH)].join("") : null;
	return { identity: { issuer: identityUrl, subject: sub, username: name }, expiresMs };
}

/** Removes a trailing slash from a URL, so that the spellings with and without the slash are equal. */
export function withoutSlash(url: string): string {
	return url.replace(/\/$/, "");
}

function isForResort({ aud, client_id }: Record<string, unknown>): boolean {
	if (aud === undefined) return client_id === RESORT;
	return Array.isArray(aud) ? aud.includes(RESORT) : aud === RESORT;
}

function isSubject(sub: unknown): sub is string {
	return (
		typeof sub === "string" &&
		sub !== "" &&
		codePoints(sub) <= MAX_SUBJECT_LENGTH &&
		isStorable(sub) &&
		!/\p{Cc}/u.test(sub)
	);
}

import { SECOND_MS } from "../../lib/clock.ts";
import { isRecord } from "../../lib/record.ts";
import { codePoints, isStorable } from "../../lib/text.ts";

const RESORT = "resort";
const SCOPE = "resort:use";
const MAX_SUBJECT_LENGTH = 255;
/** Much more than the name of an agent takes of it. */
const MAX_USERNAME_LENGTH = 1_000;

/** Whom a central key belongs to. */
export interface Identity {
	/** The identity URL without a slash at its end. */
	readonly issuer: string;
	/** 1 to 255 code points without control characters. */
	readonly subject: string;
	/** The first 1,000 characters that the provider tells, not cleaned: it may hold anything. */
	readonly username: string | null;
}

/** The provider's answer on a key. */
export type IntrospectionAnswer =
	| {
			readonly outcome: "accepted";
			readonly identity: Identity;
			/** When the key ends, in milliseconds since the epoch; infinite when it does not. */
			readonly expiresMs: number;
	  }
	| { readonly outcome: "refused" };

/**
 * Reads the body of an introspection answer (RFC 7662 section 2.2). A key is accepted when it is active, of this
 * issuer, for the resort, with the scope `resort:use`, and not past its end. A member that is present must have its
 * type, except `username`: `null` for `exp` or `aud` is refused.
 * @param body the parsed JSON
 * @param identityUrl without a slash at its end
 * @returns null when it is not an introspection answer
 */
export function readAnswer(
	body: unknown,
	identityUrl: string,
	nowMs: number,
): IntrospectionAnswer | null {
	if (!isRecord(body) || body.active === undefined) return null;
	const { active, iss, sub, exp, scope, username } = body;
	const expiresMs = exp === undefined ? Number.POSITIVE_INFINITY : toMs(exp);
	const isAccepted =
		active === true &&
		typeof iss === "string" &&
		withoutSlash(iss) === identityUrl &&
		isForResort(body) &&
		hasScope(scope) &&
		expiresMs > nowMs;
	if (!isAccepted || !isSubject(sub)) return { outcome: "refused" };
	const identity = {
		issuer: identityUrl,
		subject: sub,
		username: typeof username === "string" ? shorten(username) : null,
	};
	return { outcome: "accepted", identity, expiresMs };
}

/** A URL without the slash at its end: with and without it, the provider is the same. */
export function withoutSlash(url: string): string {
	return url.replace(/\/$/, "");
}

function isForResort({ aud, client_id }: Record<string, unknown>): boolean {
	if (aud === undefined) return client_id === RESORT;
	return Array.isArray(aud) ? aud.includes(RESORT) : aud === RESORT;
}

function hasScope(scope: unknown): boolean {
	return typeof scope === "string" && scope.split(" ").includes(SCOPE);
}

/** Milliseconds; NaN for anything but a number, which makes every comparison false. */
function toMs(seconds: unknown): number {
	return typeof seconds === "number" ? seconds * SECOND_MS : Number.NaN;
}

/** Cuts a text that is remembered. `join` copies: a slice would keep the whole text in memory. */
function shorten(text: string): string {
	if (text.length <= MAX_USERNAME_LENGTH) return text;
	return [...text.slice(0, MAX_USERNAME_LENGTH)].join("");
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

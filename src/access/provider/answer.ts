import { SECOND_MS } from "../../lib/clock.ts";
import { codePoints, isStorable } from "../../lib/text.ts";

const RESORT = "resort";
const SCOPE = "resort:use";
const MAX_SUBJECT_LENGTH = 255;

/** Whom a central key belongs to. */
export interface Identity {
	/** The identity URL without a slash at its end. */
	readonly issuer: string;
	/** 1 to 255 code points without control characters. */
	readonly subject: string;
	/** As the provider tells it: data of a stranger, not cleaned. */
	readonly username: string | null;
}

/** What the provider says of a key. */
export type Answer =
	| {
			readonly outcome: "accepted";
			readonly identity: Identity;
			/** When the key ends, in milliseconds since the epoch; infinite when it does not. */
			readonly expiresMs: number;
	  }
	| { readonly outcome: "refused" };

/**
 * Reads the body of an introspection answer (RFC 7662 section 2.2) by the rules of decisions 7.2 and 8. A
 * member that is there must have its type: `null` for `exp` or `aud` is refused.
 * @param body what JSON.parse made of it
 * @param identityUrl without a slash at its end
 * @returns null when it is no introspection answer
 */
export function readAnswer(
	body: unknown,
	identityUrl: string,
	nowMs: number,
): Answer | null {
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
		username: typeof username === "string" ? username : null,
	};
	return { outcome: "accepted", identity, expiresMs };
}

/** An address without the slash at its end, which means nothing (decisions 8). */
export function withoutSlash(url: string): string {
	return url.replace(/\/$/, "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isForResort({ aud, client_id }: Record<string, unknown>): boolean {
	if (aud === undefined) return client_id === RESORT;
	return Array.isArray(aud) ? aud.includes(RESORT) : aud === RESORT;
}

function hasScope(scope: unknown): boolean {
	return typeof scope === "string" && scope.split(" ").includes(SCOPE);
}

/** NaN, which is after nothing, for what is no number. */
function toMs(seconds: unknown): number {
	return typeof seconds === "number" ? seconds * SECOND_MS : Number.NaN;
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

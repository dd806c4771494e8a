import { version } from "../../package.json";

/** Matches a UUID of version 7 (RFC 9562) in lower case. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns the names of an object's fields, sorted and separated by spaces. */
export function namesOf(value: object): string {
	return Object.keys(value).sort().join(" ");
}

/** The response of GET /api/health from a healthy resort, without `checks`. */
export const healthy = {
	ok: true,
	service: "agent-resort",
	version,
	// The commit is null, because only the executable contains the commit of its build.
	commit: null,
	status: "healthy",
} as const;

/** Returns a time in the format of the API (ISO 8601). */
export function iso(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** Returns the first item of a list. Throws if the list is empty. */
export function first<T>(items: readonly T[]): T {
	const [item] = items;
	if (item === undefined) throw new Error("the list is empty");
	return item;
}

/** Matches the session cookie. The first group is its token. */
export const COOKIE =
	/^__Host-resort_session=([0-9a-f]{64}); Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/;

/** Encodes a text in little-endian UTF-16. */
export function utf16(text: string): Uint8Array {
	return Buffer.from(text, "utf16le");
}

/** Returns the error that a function throws. If the function throws nothing, fails with another error. */
export function thrownBy(call: () => unknown): unknown {
	try {
		call();
	} catch (error) {
		return error;
	}
	throw new Error("nothing was thrown");
}

/** The body that creates an experience, with only the required fields. */
export const fogBathing = {
	name: "Fog Bathing",
	category: "water",
	description: "Stand in the fog until it is bored.",
	location: "The pier",
	durationMinutes: 20,
} as const;

/** Well-formed ids that no agent and no experience has. */
export const NOBODY = "00000000-0000-7000-8000-000000000000";
export const NOBODYS = `exp-${NOBODY}`;

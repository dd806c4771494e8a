/** A regular expression for a UUID (RFC 9562, section 4), without the prefix `urn:uuid:`. */
export const UUID = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

/** Whether a text is a UUID. */
export function isUuid(text: string): boolean {
	return shape.test(text);
}

const shape = new RegExp(UUID);

/** Why a text is no URL of a PostgreSQL database, as a sentence that shows no password. */
export class UrlFault extends Error {}

const MAX_SHOWN = 32;

/** What a fault shows of a word of the URL. */
export function quote(word: string): string {
	return JSON.stringify(word.slice(0, MAX_SHOWN));
}

/**
 * Decodes what is percent-encoded.
 * @throws UrlFault when it is encoded wrongly or is NUL, which PostgreSQL takes nowhere
 */
export function decode(text: string): string {
	try {
		const decoded = decodeURIComponent(text);
		if (!decoded.includes("\0")) return decoded;
	} catch {
		// Told below, as a NUL is.
	}
	throw new UrlFault("% must begin a percent-encoded character other than NUL");
}

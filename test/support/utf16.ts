/** Encodes a text in UTF-16. */
export function utf16(text: string, isBigEndian = false): Uint8Array {
	const bytes = Buffer.from(text, "utf16le");
	return isBigEndian ? bytes.swap16() : bytes;
}

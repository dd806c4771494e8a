import { closeSync, openSync, readSync } from "node:fs";
import { reasonOf } from "./error-reason.ts";
import { SettingError } from "./start-error.ts";

const MAX_KIBIBYTES = 64;

/**
 * Reads a small text file. Skips a byte order mark.
 * @param source the name of the file in error messages
 * @throws StartError with exit code 2 if the file cannot be read, is too large or is not UTF-8
 */
export function readText(path: string, source: string, maxKibibytes = MAX_KIBIBYTES): string {
	const maxBytes = maxKibibytes * 1024;
	const bytes = readBytes(path, source, maxBytes);
	if (bytes.length > maxBytes) {
		throw new SettingError(`${source}: must be a file of at most ${maxKibibytes} KiB`);
	}
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
		// Refuses UTF-16 without a byte order mark, whose zero bytes are decoded as NUL characters.
		if (!text.includes("\0")) return text;
	} catch {}
	throw new SettingError(`${source}: must be a file of UTF-8 text`);
}

/** Reads at most one byte more than allowed, because the path may be an endless device or pipe. */
function readBytes(path: string, source: string, maxBytes: number): Uint8Array {
	try {
		const file = openSync(path, "r");
		try {
			const bytes = new Uint8Array(maxBytes + 1);
			let length = 0;
			for (let read = -1; read !== 0 && length < bytes.length; length += read) {
				read = readSync(file, bytes, length, bytes.length - length, null);
			}
			return bytes.subarray(0, length);
		} finally {
			closeSync(file);
		}
	} catch (error) {
		throw new SettingError(`${source}: cannot be read: ${reasonOf(error)}`);
	}
}

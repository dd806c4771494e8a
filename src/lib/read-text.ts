import { closeSync, openSync, readSync } from "node:fs";
import { reasonOf } from "./error-reason.ts";
import { StartError } from "./start-error.ts";

const MAX_KIBIBYTES = 64;

/**
 * Reads a small file of text.
 * @param from what names the file in an error
 * @param most how large it may be, in KiB
 * @throws StartError with exit code 2 when it cannot be read, is too large or is not UTF-8
 */
export function readText(
	path: string,
	from: string,
	most = MAX_KIBIBYTES,
): string {
	const bytes = readBytes(path, from, most * 1024);
	if (bytes.length > most * 1024) {
		throw new StartError(`${from}: must be a file of at most ${most} KiB`, 2);
	}
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new StartError(`${from}: must be a file of UTF-8 text`, 2);
	}
}

/** Reads at most one byte more than is allowed: it may be an endless device or pipe. */
function readBytes(path: string, from: string, most: number): Uint8Array {
	try {
		const file = openSync(path, "r");
		try {
			const bytes = new Uint8Array(most + 1);
			let length = 0;
			for (let read = -1; read !== 0 && length < bytes.length; length += read) {
				read = readSync(file, bytes, length, bytes.length - length, null);
			}
			return bytes.subarray(0, length);
		} finally {
			closeSync(file);
		}
	} catch (error) {
		throw new StartError(`${from}: cannot be read: ${reasonOf(error)}`, 2);
	}
}

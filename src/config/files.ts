import { closeSync, openSync, readSync } from "node:fs";
import { reasonOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";

const MAX_KIBIBYTES = 64;

/** In a file with more lines the faulty one is not looked for, because each line costs one more attempt to parse. */
const MAX_LINES = 500;

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

/**
 * Reads a file of TOML (toml.io, version 1.0).
 * @param from what names the file in an error
 * @returns its top-level keys and their values
 * @throws StartError with exit code 2, as {@link readText}, and with the line that is not TOML, in a file of at
 * most 500 lines
 */
export function readToml(
	path: string,
	from: string,
): ReadonlyMap<string, unknown> {
	const text = readText(path, from);
	const table = parseToml(text);
	if (table !== null) return new Map(Object.entries(table));
	// The parser's own message may quote a part of a secret.
	const line = faultyLine(text);
	const place = line === null ? "" : `line ${line} `;
	throw new StartError(
		`${from}: ${place}is not valid TOML: must be KEY = VALUE, each key once, a text in quotes`,
		2,
	);
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

function parseToml(text: string): object | null {
	try {
		return Bun.TOML.parse(text);
	} catch {
		return null;
	}
}

/**
 * The number of the first line that is not TOML. Bun's parser does not tell it: it is the line after the longest
 * beginning that is valid by itself.
 * @returns null when there are too many lines
 */
function faultyLine(text: string): number | null {
	const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
	if (ends.length > MAX_LINES) return null;
	return (
		ends.findLastIndex((end) => parseToml(text.slice(0, end)) !== null) + 2
	);
}

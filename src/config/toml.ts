import { readText } from "../lib/read-text.ts";
import { StartError } from "../lib/start-error.ts";

/** In a file with more lines the faulty one is not looked for, because each line costs one more attempt to parse. */
const MAX_LINES = 500;

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

/** Finds what readers take for one letter, such as an emoji of several code points. */
let segmenter: Intl.Segmenter | null = null;

const ELLIPSIS = "…";

/**
 * A text that is not longer than so many bytes of UTF-8. One that was is cut between two letters as readers see them,
 * and ends with "…"; only a first letter that is too long by itself is cut between two code points.
 * @param mostBytes at least 7: a code point and "…"
 */
export function shortened(text: string, mostBytes: number): string {
	if (Buffer.byteLength(text) <= mostBytes) return text;
	const room = mostBytes - Buffer.byteLength(ELLIPSIS);
	segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
	// A letter behind these has no room: each code unit takes a byte at least.
	const near = text.slice(0, mostBytes + 1);
	const end = endOf(segmenter.segment(near), room);
	const kept = end > 0 ? end : endOf(pointsOf(near), room);
	return text.slice(0, kept).trimEnd() + ELLIPSIS;
}

/** Where the last of the parts of a text ends that still has room. */
function endOf(parts: Iterable<{ segment: string }>, room: number): number {
	let end = 0;
	let bytes = 0;
	for (const { segment } of parts) {
		bytes += Buffer.byteLength(segment);
		if (bytes > room) break;
		end += segment.length;
	}
	return end;
}

function* pointsOf(text: string): Generator<{ segment: string }> {
	for (const segment of text) yield { segment };
}

/** The properties of a font that are needed to lay out text: which characters the font has, and how wide they are. */
export interface FontMetrics {
	/** Whether the font has every character of a text. */
	has(text: string): boolean;
	/**
	 * Returns the width of a text in units of the font size, without kerning. A character that the font lacks counts as
	 * 0.
	 */
	widthOf(text: string): number;
}

/**
 * Reads the metrics of a TrueType font (OpenType 1.9: the tables `cmap` in format 4, `head`, `hhea` and `hmtx`).
 * @throws RangeError if the font has no such tables
 */
export function readFontMetrics(font: Uint8Array): FontMetrics {
	const data = new DataView(font.buffer, font.byteOffset, font.byteLength);
	const tables = readTables(data);
	const tableAt = (tag: string) => {
		const offset = tables.get(tag);
		if (offset === undefined) throw new RangeError(`no table ${tag}`);
		return offset;
	};
	const glyphs = readCharacters(data, tableAt("cmap"));
	const unitsPerEm = data.getUint16(tableAt("head") + 18);
	const advances = data.getUint16(tableAt("hhea") + 34);
	const metrics = tableAt("hmtx");
	const advanceOf = (glyph: number) =>
		data.getUint16(metrics + 4 * Math.min(glyph, advances - 1)) / unitsPerEm;
	const codePointsOf = (text: string) =>
		Array.from(text, (character) => character.codePointAt(0) ?? 0);
	return {
		has: (text) => codePointsOf(text).every((code) => glyphs.has(code)),
		widthOf: (text) =>
			codePointsOf(text).reduce((width, code) => {
				const glyph = glyphs.get(code);
				return glyph === undefined ? width : width + advanceOf(glyph);
			}, 0),
	};
}

/** Returns the offset of each table. */
function readTables(data: DataView): Map<string, number> {
	const offsets = new Map<string, number>();
	const count = data.getUint16(4);
	for (let at = 12; at < 12 + 16 * count; at += 16) {
		const tag = String.fromCharCode(
			...[0, 1, 2, 3].map((byte) => data.getUint8(at + byte)),
		);
		offsets.set(tag, data.getUint32(at + 8));
	}
	return offsets;
}

/** Returns the glyph of each character of the Basic Multilingual Plane. */
function readCharacters(data: DataView, cmap: number): Map<number, number> {
	const count = data.getUint16(cmap + 2);
	const table = Array.from(
		{ length: count },
		(_, at) => cmap + data.getUint32(cmap + 8 + 8 * at),
	).find((offset) => data.getUint16(offset) === 4);
	if (table === undefined) throw new RangeError("no cmap of format 4");
	const glyphs = new Map<number, number>();
	const bytes = data.getUint16(table + 6);
	// The table contains four arrays with one element for each segment. Two unused bytes follow the first array.
	const [ends, starts, deltas, ranges] = [
		table + 14,
		...[1, 2, 3].map((at) => table + 16 + at * bytes),
	] as [number, number, number, number];
	for (let at = 0; at < bytes; at += 2) {
		const delta = data.getUint16(deltas + at);
		const range = data.getUint16(ranges + at);
		const start = data.getUint16(starts + at);
		for (let code = start; code <= data.getUint16(ends + at); code++) {
			const known =
				range === 0
					? code
					: data.getUint16(ranges + at + range + 2 * (code - start));
			const glyph = range !== 0 && known === 0 ? 0 : (known + delta) & 0xffff;
			if (glyph !== 0) glyphs.set(code, glyph);
		}
	}
	return glyphs;
}

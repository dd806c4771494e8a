import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { Body } from "../../src/pipeline/body.ts";
import type { Content } from "../../src/pipeline/coding.ts";
import { type Coding, chooseCoding } from "../../src/pipeline/coding.ts";

/** Fields of RFC 9110, 12.5.3, and what is chosen; where several do, the better one of zstd and gzip. */
const fields: [field: string | null, chosen: Coding][] = [
	[null, "identity"],
	["", "identity"],
	["identity", "identity"],
	["br", "identity"],
	["gzip", "gzip"],
	["GZip", "gzip"],
	["zstd", "zstd"],
	["gzip, zstd", "zstd"],
	["gzip, deflate, br, zstd", "zstd"],
	["gzip, deflate, br", "gzip"],
	["gzip;q=1, zstd;q=0.5", "gzip"],
	["gzip;q=0.5, zstd;q=0.5", "zstd"],
	["gzip; q=0.001", "gzip"],
	["gzip ; Q=0.8 , zstd ; q=0.9", "zstd"],
	["zstd;q=0, gzip", "gzip"],
	["zstd;q=0, gzip;q=0", "identity"],
	["gzip;q=0.000", "identity"],
	["*", "zstd"],
	["*;q=0", "identity"],
	["*;q=0.5, gzip", "gzip"],
	["zstd;q=0, *", "gzip"],
	["gzip, *;q=0", "gzip"],
	["identity;q=0, *", "zstd"],
	["identity, gzip", "gzip"],
	["identity;q=1, gzip;q=0.5", "identity"],
	["identity;q=0.5, gzip;q=0.5", "gzip"],
	["identity;q=0.5, gzip;q=0.6, zstd;q=0.4", "gzip"],
	["identity, *;q=0.1", "identity"],
	["gzipped", "identity"],
	["x-gzip;q=1", "identity"],
	["gzip;level=9", "gzip"],
	[",,gzip,,", "gzip"],
];

test.each(fields)("Accept-Encoding: %p takes %s", (field, chosen) => {
	expect(chooseCoding(field)).toBe(chosen);
});

describe("a body", () => {
	test.each([
		[0, false],
		[1_023, false],
		[1_024, true],
		[1_025, true],
	])("of %d bytes is compressed: %p", (length, isCompressed) => {
		expect(Body.of("a".repeat(length)).isCompressed).toBe(isCompressed);
	});

	test.each([1_024, 64 * 1_024 - 1, 64 * 1_024, 300_000])(
		"of %d bytes is the same in every coding, and made once in each",
		async (length) => {
			const text = JSON.stringify({ a: "Möwe 🌊 ".repeat(length / 12) });
			const body = Body.of(text);
			const read = (content: Content) => new Response(content).bytes();
			expect(new TextDecoder().decode(await read(body.plain))).toBe(text);
			const zipped = await read(await body.coded("gzip"));
			expect(gunzipSync(zipped).toString()).toBe(text);
			const packed = await read(await body.coded("zstd"));
			expect(Bun.zstdDecompressSync(packed).toString()).toBe(text);
			expect(packed.length).toBeLessThan(text.length / 2);
			for (const coding of ["gzip", "zstd"] as const) {
				expect(await body.coded(coding)).toBe(await body.coded(coding));
			}
		},
	);

	test("has a validator of its own in each coding, and another one for other bytes", () => {
		const codings = ["identity", "gzip", "zstd"] as const;
		const etags = ["a", "b"].flatMap((text) =>
			codings.map((coding) => Body.of(text).etag(coding)),
		);
		expect(new Set(etags).size).toBe(6);
		for (const etag of etags) expect(etag).toMatch(/^"[0-9a-f]{32}(-\w+)?"$/);
		expect(Body.of("a").etag("gzip")).toBe(Body.of("a").etag("gzip"));
	});

	test("has the validator that any other process makes of it", () => {
		for (const text of ["fog", "Möwe 🌊", "fog".repeat(50_000)]) {
			const bytes = Buffer.from(text);
			const digits = createHash("sha256").update(bytes).digest("hex");
			for (const body of [Body.of(text), Body.packed(bytes)]) {
				expect(body.etag("identity")).toBe(`"${digits.slice(0, 32)}"`);
			}
		}
	});
});

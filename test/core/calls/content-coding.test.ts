import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import {
	type Coding,
	type Content,
	chooseCoding,
	WrittenBody,
} from "../../../src/core/calls/written-body.ts";

/** Fields of RFC 9110, 12.5.3, and the coding that is chosen. */
const fields: [field: string | null, chosen: Coding][] = [
	[null, "identity"],
	["br", "identity"],
	["gzip", "gzip"],
	["GZip", "gzip"],
	["zstd", "identity"],
	["gzip, deflate, br, zstd", "gzip"],
	["gzip;q=0.5, zstd", "gzip"],
	["gzip; q=0.001", "gzip"],
	["gzip ; Q=0.8 , identity ; q=0.9", "identity"],
	["*", "gzip"],
	["*;q=0", "identity"],
	["*;q=0.5", "gzip"],
	["gzip;q=0, *", "identity"],
	["*, gzip;q=0", "identity"],
	["gzip;q=0", "identity"],
	["identity;q=0", "identity"],
	["gzip, *;q=0", "gzip"],
	["identity;q=0, *", "gzip"],
	["identity;q=1, gzip;q=0.5", "identity"],
	["identity;q=0.5, gzip;q=0.5", "gzip"],
	["identity, *;q=0.1", "identity"],
	["x-gzip;q=1", "identity"],
	["gzip;level=9", "gzip"],
	["identity;q=2, gzip", "gzip"],
	["gzipped", "identity"],
	[",,gzip,,", "gzip"],
];

test.each(fields)("Accept-Encoding: %p takes %s", (field, chosen) => {
	expect(chooseCoding(field)).toBe(chosen);
});

describe("a body", () => {
	test.each([
		[1_023, false, "String"],
		[1_024, true, "String"],
		[64 * 1_024 - 1, true, "String"],
		[64 * 1_024, true, "Blob"],
	])("of %d bytes is compressed: %p, and kept as a %s", (length, isCompressed, kind) => {
		const body = WrittenBody.write("a".repeat(length));
		const { plain, isCompressible, maxBytes } = body;
		expect(isCompressible).toBe(isCompressed);
		expect(plain.constructor.name).toBe(kind);
		expect(maxBytes).toBe(isCompressed ? 2 * length : length);
	});

	test.each([1_024, 64 * 1_024, 300_000])(
		"of %d bytes is the same when compressed, and compressed once",
		async (length) => {
			const text = JSON.stringify({ a: "Möwe 🌊 ".repeat(length / 12) });
			const body = WrittenBody.write(text);
			const read = (content: Content) => new Response(content).bytes();
			expect(new TextDecoder().decode(await read(body.plain))).toBe(text);
			const zipped = await read(await body.encoded("gzip"));
			expect(gunzipSync(zipped).toString()).toBe(text);
			expect(zipped.length).toBeLessThan(text.length / 2);
			expect(await body.encoded("gzip")).toBe(await body.encoded("gzip"));
		},
	);

	test("that is a file is not compressed, and other than ASCII is encoded once", () => {
		expect(WrittenBody.write(Buffer.alloc(2_000)).isCompressible).toBe(false);
		expect(WrittenBody.write("Möwe").plain).toEqual(Buffer.from("Möwe"));
	});

	test("has the ETag that any other process computes", () => {
		for (const text of ["fog", "Möwe 🌊", "fog".repeat(50_000)]) {
			const bytes = Buffer.from(text);
			const digits = createHash("sha256").update(bytes).digest("hex");
			for (const content of [text, bytes]) {
				expect(WrittenBody.write(content, true).etag).toBe(`"${digits.slice(0, 32)}"`);
			}
		}
	});
});

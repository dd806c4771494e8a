import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { type Coding, type Content, chooseCoding, WrittenBody } from "../../../src/core/calls/answer.ts";

test.each<[field: string | null, coding: Coding]>([
	[null, "identity"],
	["GZip", "gzip"],
	["gzip; q=0.001", "gzip"],
	["gzip ; Q=0.8 , identity ; q=0.9", "identity"],
	["*", "gzip"],
	["*;q=0", "identity"],
	["gzip;q=0, *", "identity"],
	["gzip, *;q=0", "gzip"],
	["identity;q=0, *", "gzip"],
	["identity;q=0.5, gzip;q=0.5", "gzip"],
	["identity, *;q=0.1", "identity"],
	["x-gzip;q=1", "identity"],
	["gzip;level=9", "gzip"],
	["identity;q=2, gzip", "gzip"],
	[",,gzip,,", "gzip"],
])("chooseCoding, for the Accept-Encoding field %p, returns %j (RFC 9110, 12.5.3)", (field, coding) => {
	expect(chooseCoding(field)).toBe(coding);
});

test.each<[what: string, length: number, coding: Coding]>([
	["finds `gzip;` if it ends at character 1024", 1_019, "gzip"],
	["ignores `gzip;` if it ends at character 1025", 1_020, "identity"],
])("chooseCoding %s", (_, length, coding) => {
	expect(chooseCoding(`${",".repeat(length)}gzip;`)).toBe(coding);
});

describe("WrittenBody", () => {
	test.each([
		[1_023, "not compressible", "String"],
		[1_024, "compressible", "String"],
		[64 * 1_024 - 1, "compressible", "String"],
		[64 * 1_024, "compressible", "Blob"],
	])("stores a body of %d bytes, which is %s, as a %s", (length, verdict, kind) => {
		const isCompressed = verdict === "compressible";
		const body = WrittenBody.write("a".repeat(length));
		const { plain, isCompressible, maxBytes } = body;
		expect(isCompressible).toBe(isCompressed);
		expect(plain.constructor.name).toBe(kind);
		expect(maxBytes).toBe(isCompressed ? 2 * length : length);
	});

	test.each([1_024, 64 * 1_024, 300_000])(
		"compresses a body of %d bytes only once, and without loss",
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

	test("does not compress a binary body, and stores a text that is not ASCII as bytes", () => {
		expect(WrittenBody.write(Buffer.alloc(2_000)).isCompressible).toBe(false);
		expect(WrittenBody.write("Möwe").plain).toEqual(Buffer.from("Möwe"));
	});

	test("derives the ETag of a body only from its content", () => {
		for (const text of ["fog", "Möwe 🌊", "fog".repeat(50_000)]) {
			const bytes = Buffer.from(text);
			const digits = createHash("sha256").update(bytes).digest("hex");
			for (const content of [text, bytes]) {
				expect(WrittenBody.write(content, true).etag).toBe(`"${digits.slice(0, 32)}"`);
			}
		}
	});
});

import { describe, expect, test } from "bun:test";
import { expectFailure } from "../support/answers.ts";
import { asJson } from "../support/bodies.ts";
import { Caller, expectRead } from "../support/caller.ts";
import { type Operation, operations, rows } from "../support/operations.ts";
import { useSharedResort } from "../support/use-resort.ts";

const MAX_BYTES = 64 * 1024;

const resort = useSharedResort();

const withBody = operations.filter(({ body }) => body !== undefined);

/** A good body of an operation, as text of exactly so many bytes. */
function padded({ body }: Operation, bytes: number, padding = "p"): string {
	const empty = JSON.stringify({ ...body?.good, padding: "" });
	const room = bytes - Buffer.byteLength(empty);
	const wide = padding.repeat(Math.floor(room / Buffer.byteLength(padding)));
	const rest = "p".repeat(room - Buffer.byteLength(wide));
	return JSON.stringify({ ...body?.good, padding: wide + rest });
}

/** A text in pieces, so that no length is declared. */
function inPieces(text: string): ReadableStream<Uint8Array> {
	const bytes = new TextEncoder().encode(text);
	let at = 0;
	return new ReadableStream({
		pull(controller) {
			controller.enqueue(bytes.slice(at, at + 999));
			at += 999;
			if (at >= bytes.length) controller.close();
		},
	});
}

describe.each(rows(withBody))("%s", (_, operation) => {
	test.each([
		{ bytes: MAX_BYTES, padding: "p" },
		{ bytes: MAX_BYTES, padding: "🌴" },
	])("$bytes bytes of $padding are read", async ({ bytes, padding }) => {
		const text = padded(operation, bytes, padding);
		expect(Buffer.byteLength(text)).toBe(bytes);
		await expectRead(resort, operation, asJson(text));
		await expectRead(resort, operation, { ...asJson(""), raw: inPieces(text) });
	});

	test.each([
		{ bytes: MAX_BYTES + 1, padding: "p" },
		{ bytes: MAX_BYTES + 1, padding: "🌴" },
		{ bytes: 4 * MAX_BYTES, padding: "p" },
	])("$bytes bytes of $padding are 413", async ({ bytes, padding }) => {
		const text = padded(operation, bytes, padding);
		const caller = await Caller.create(resort);
		for (const raw of [text, inPieces(text)]) {
			const answered = await caller.call(operation, { ...asJson(""), raw });
			expectFailure(answered, 413);
			expect(answered.body.error).toBe("Body must be at most 64 KiB");
		}
	});

	test("a body without end is 413 as soon as it is too large", async () => {
		let pieces = 0;
		const endless = new ReadableStream<Uint8Array>({
			pull(controller) {
				if (++pieces > 1_000) throw new Error("read on and on");
				controller.enqueue(new Uint8Array(4096).fill(0x20));
			},
		});
		const caller = await Caller.create(resort);
		const ask = { ...asJson(""), raw: endless };
		expectFailure(await caller.call(operation, ask), 413);
		expect(pieces).toBeLessThan(30);
	});

	test.each([
		{ what: "a byte that begins nothing", bytes: [0x7b, 0xff, 0x7d] },
		{
			what: "a pair that breaks off",
			bytes: [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
		},
		{
			what: "a lone surrogate",
			bytes: [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d],
		},
		{ what: "UTF-16", bytes: [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00] },
	])("bytes that are no UTF-8 are 400: $what", async ({ bytes }) => {
		const raw = new Uint8Array(bytes);
		const caller = await Caller.create(resort);
		const answered = await caller.call(operation, { ...asJson(""), raw });
		expectFailure(answered, 400);
		expect(answered.body.error).toBe("Body is not valid JSON");
	});
});

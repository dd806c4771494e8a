import { describe, expect, test } from "bun:test";
import { expectBrokenBound, expectFailure, expectRefusal } from "../../support/answers.ts";
import { asJson } from "../../support/bodies.ts";
import type { CallOptions } from "../../support/calls.ts";
import { Caller, type Operation, operations, rows } from "../../support/operations.ts";
import { useResort } from "../../support/use-resort.ts";
import { first, fogBathing } from "../../support/values.ts";

const MAX_BYTES = 64 * 1024;

const resort = useResort({ shared: true });

const withBody = operations.filter(({ body }) => body !== undefined);
const optional = withBody.filter(({ bodyOptional }) => bodyOptional);
const required = withBody.filter(({ bodyOptional }) => !bodyOptional);

const call = async (operation: Operation, ask: CallOptions) =>
	(await Caller.create(resort)).call(operation, ask);

/** The operation for most tests: the server reads the bodies of all operations in the same way. */
const create = first(withBody.filter(({ path }) => path === "/api/experiences"));
const GOOD = JSON.stringify(fogBathing);
const send = (ask: CallOptions) => call(create, ask);

/** Expects the same status and fields as for the valid body. Only a field `ignored` may be added. */
async function accept(ask: CallOptions): Promise<void> {
	const [good, other] = [await send({}), await send(ask)];
	expect(other.status, other.text).toBe(good.status);
	const { ignored, ...read } = other.body;
	expect(Object.keys(read)).toEqual(Object.keys(good.body));
	expect(ignored).not.toEqual([]);
}

const JSON_TYPE = { "content-type": "application/json" };

/** Returns a valid body with exactly `bytes` bytes. */
function padded(bytes: number, padding: string): string {
	const room = bytes - Buffer.byteLength(JSON.stringify({ ...fogBathing, padding: "" }));
	const wide = padding.repeat(Math.floor(room / Buffer.byteLength(padding)));
	const rest = "p".repeat(room - Buffer.byteLength(wide));
	return JSON.stringify({ ...fogBathing, padding: wide + rest });
}

/** Returns a stream of a text in chunks, so that the request has no Content-Length. */
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

describe("POST /api/experiences", () => {
	test.each([
		["an open brace", "{"],
		["a space", " "],
		["30,000 open brackets", "[".repeat(30_000)],
	])("refuses with 400 a body that is not valid JSON: %s", async (_, raw) =>
		expectRefusal(await send(asJson(raw)), 400, "Body is not valid JSON"),
	);

	test.each(["null", '"name"', '[{"name":"Ada"}]', `${"[".repeat(8)}${"]".repeat(8)}`])(
		"refuses with 400 a body that is JSON, but not an object: %s",
		async (raw) => expectRefusal(await send(asJson(raw)), 400, "Body must be a JSON object"),
	);

	test.each<[what: string, headers: Record<string, string>]>([
		["is missing", {}],
		["is empty", { "content-type": "" }],
		["is text/plain", { "content-type": "text/plain" }],
		["only begins with application/json", { "content-type": "application/jsonp" }],
		["names two types", { "content-type": "application/json, text/plain" }],
	])("returns 400 with a hint if the Content-Type of the body %s", async (_, headers) => {
		const answered = await send({ raw: new TextEncoder().encode(GOOD), headers });
		expectRefusal(answered, 400, "Body must be JSON");
		expect(answered.body.hint).toContain("application/json");
	});

	test.each(["application/json;charset=UTF-8", "APPLICATION/JSON", "Application/Merge-Patch+JSON ; x=1"])(
		"accepts a body whose Content-Type is %p",
		(type) => accept({ raw: GOOD, headers: { "content-type": type } }),
	);

	test.each([
		["nine lists", `${"[".repeat(9)}${"]".repeat(9)}`],
		["30,000 lists in an object", `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
		["nine objects", `${'{"a":'.repeat(9)}1${"}".repeat(9)}`],
		["an object with an escaped quotation mark, and then eight lists", `{"a":"\\"","b":[[[[[[[[1]]]]]]]]}`],
	])("refuses with 400 a body nested deeper than 8 levels: %s", async (_, raw) => {
		expectRefusal(await send(asJson(raw)), 400, "Body must be nested at most 8 levels deep");
	});

	test('refuses with 400 the field "name" if its value consists of 7 nested lists', async () => {
		const raw = GOOD.replace('"Fog Bathing"', "[".repeat(7) + "]".repeat(7));
		expectBrokenBound(await send(asJson(raw)), "name");
	});

	test.each(["p", "🌴"])(
		"accepts a body of 64 KiB, filled with %p, with and without Content-Length",
		async (padding) => {
			const text = padded(MAX_BYTES, padding);
			expect(Buffer.byteLength(text)).toBe(MAX_BYTES);
			await accept(asJson(text));
			await accept({ raw: inPieces(text), headers: JSON_TYPE });
		},
	);

	test.each([
		["64 KiB and one byte", "p", MAX_BYTES + 1],
		["64 KiB and one byte", "🌴", MAX_BYTES + 1],
		["256 KiB", "p", 4 * MAX_BYTES],
	])("refuses with 413 a body of %s, filled with %p", async (_, padding, bytes) => {
		const text = padded(bytes, padding);
		for (const raw of [text, inPieces(text)]) {
			expectRefusal(await send({ raw, headers: JSON_TYPE }), 413, "Body must be at most 64 KiB");
		}
	});

	test("refuses with 413 an endless body as soon as it is too large", async () => {
		let pieces = 0;
		const endless = new ReadableStream<Uint8Array>({
			pull(controller) {
				if (++pieces > 1_000) throw new Error("read on and on");
				controller.enqueue(new Uint8Array(4096).fill(0x20));
			},
		});
		expectFailure(await send({ raw: endless, headers: JSON_TYPE }), 413);
		expect(pieces).toBeLessThan(30);
	});

	test.each([
		["a byte that UTF-8 never contains", "7bff7d"],
		["an incomplete sequence", "7b22c328223a317d"],
		["a lone surrogate", "7b22eda080223a317d"],
		["UTF-16", "fffe7b007d00"],
	])("refuses with 400 a body that is not UTF-8: %s", async (_, hex) => {
		const answered = await send({ raw: Uint8Array.fromHex(hex), headers: JSON_TYPE });
		expectRefusal(answered, 400, "Body is not valid UTF-8");
	});

	test.each(["gzip", "identity, gzip", "x"])(
		"refuses with 415 a body whose Content-Encoding is %p",
		async (coding) => {
			const headers = { ...JSON_TYPE, "content-encoding": coding };
			for (const raw of [GOOD, Bun.gzipSync(GOOD), inPieces(GOOD)]) {
				expectRefusal(await send({ raw, headers }), 415, "Send the body uncompressed");
			}
		},
	);

	test.each([" Identity ", ""])("accepts a body whose Content-Encoding is %p", (coding) =>
		accept({ raw: GOOD, headers: { ...JSON_TYPE, "content-encoding": coding } }),
	);

	test("ignores unknown fields with unusual names and values", async () => {
		const deep = "[".repeat(7) + "]".repeat(7);
		for (const field of [
			`"nested":${deep},"text":"[[[[[[[[[[\\"[{{{{{{{{{{\\\\"`,
			'"__proto__":{"name":"A","polluted":true}',
			'"constructor":{"prototype":{"polluted":true}}',
			'"prototype":null,"toString":1,"hasOwnProperty":false',
			'"":1,"🌴":2,"\\u0000":3',
		]) {
			await accept(asJson(`${GOOD.slice(0, -1)},${field}}`));
		}
		expect("polluted" in {}).toBe(false);
	});
});

test.each(rows(optional))("%s accepts an empty body with any Content-Type", async (_, operation) => {
	const { status } = await call(operation, { body: {} });
	for (const type of ["application/json", "text/plain", "multipart/mixed"]) {
		for (const raw of ["", new Uint8Array(), new Blob().stream()]) {
			const answered = await call(operation, { raw, headers: { "content-type": type } });
			expect(answered.status, answered.text).toBe(status);
		}
	}
});

test.each(rows(required))("%s refuses with 400 an empty body and an empty object", async (_, operation) => {
	for (const ask of [{ raw: "" }, asJson(""), asJson("{}")]) {
		expectFailure(await call(operation, ask), 400);
	}
});

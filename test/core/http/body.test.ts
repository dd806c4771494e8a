import { describe, expect, test } from "bun:test";
import { expectBrokenBound, expectFailure, expectRefusal } from "../../support/answers.ts";
import { asJson } from "../../support/bodies.ts";
import type { CallOptions } from "../../support/calls.ts";
import { Caller, expectRead, type Operation, operations, rows } from "../../support/operations.ts";
import { useResort } from "../../support/use-resort.ts";

const MAX_BYTES = 64 * 1024;

const resort = useResort({ shared: true });

const withBody = operations.filter(({ body }) => body !== undefined);
const optional = withBody.filter(({ bodyOptional }) => bodyOptional);
const required = withBody.filter(({ bodyOptional }) => !bodyOptional);

const send = async (operation: Operation, ask: CallOptions) =>
	(await Caller.create(resort)).call(operation, ask);

const JSON_TYPE = { "content-type": "application/json" };

/** Returns whether an operation refuses every unknown field. */
const refusesFields = (path: string) => path === "/api/postcards";

/** Returns a valid body for an operation with exactly `bytes` bytes. */
function padded({ body, path }: Operation, bytes: number, padding = "p"): string {
	if (refusesFields(path)) {
		return JSON.stringify(body?.good) + " ".repeat(bytes - JSON.stringify(body?.good).length);
	}
	const empty = JSON.stringify({ ...body?.good, padding: "" });
	const room = bytes - Buffer.byteLength(empty);
	const wide = padding.repeat(Math.floor(room / Buffer.byteLength(padding)));
	const rest = "p".repeat(room - Buffer.byteLength(wide));
	return JSON.stringify({ ...body?.good, padding: wide + rest });
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

describe.each(rows(withBody))("%s", (_, operation) => {
	test.each([
		["an open brace", "{"],
		["an incomplete object", '{"name":"Ada"'],
		["undefined", "undefined"],
		["a space", " "],
		["a NUL", "\0"],
		["30,000 open brackets", "[".repeat(30_000)],
	])("refuses with 400 a body that is not valid JSON: %s", async (_, raw) =>
		expectRefusal(await send(operation, asJson(raw)), 400, "Body is not valid JSON"),
	);

	test.each(["null", "0", '"name"', "[]", '[{"name":"Ada"}]', `${"[".repeat(8)}${"]".repeat(8)}`])(
		"refuses with 400 a body that is JSON, but not an object: %s",
		async (raw) => expectRefusal(await send(operation, asJson(raw)), 400, "Body must be a JSON object"),
	);

	test.each([
		undefined,
		"",
		"text/plain",
		"application/jsonp",
		"application/x-www-form-urlencoded",
		"application/json, text/plain",
		";application/json",
	])("refuses with 400 and a hint a body whose Content-Type is %p", async (type) => {
		const raw = new TextEncoder().encode(JSON.stringify(operation.body?.good));
		const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
		const answered = await send(operation, { raw, headers });
		expectRefusal(answered, 400, "Body must be JSON");
		expect(answered.body.hint).toContain("application/json");
	});

	test.each([
		"application/json",
		"application/json; charset=utf-8",
		"application/json;charset=UTF-8",
		"application/problem+json",
		"APPLICATION/JSON",
		"Application/Merge-Patch+JSON ; x=1",
	])("accepts a body whose Content-Type is %p", async (type) => {
		const raw = JSON.stringify(operation.body?.good);
		await expectRead(resort, operation, { raw, headers: { "content-type": type } });
	});

	test.each([
		["nine lists", `${"[".repeat(9)}${"]".repeat(9)}`],
		["30,000 lists in an object", `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
		["nine objects", `${'{"a":'.repeat(9)}1${"}".repeat(9)}`],
		["eight lists in an object with a quotation mark", `{"a":"\\"","b":[[[[[[[[1]]]]]]]]}`],
	])("refuses with 400 a body nested deeper than 8 levels: %s", async (_, raw) => {
		const answered = await send(operation, asJson(raw));
		expectRefusal(answered, 400, "Body must be nested at most 8 levels deep");
	});

	test("refuses with 400 a known field whose value is nested 7 levels deep", async () => {
		const deep = "[".repeat(7) + "]".repeat(7);
		for (const name of Object.keys(operation.body?.bad ?? {})) {
			const good = JSON.stringify({ ...operation.body?.good, [name]: 0 });
			const raw = good.replace(`"${name}":0`, `"${name}":${deep}`);
			expectBrokenBound(await send(operation, asJson(raw)), name);
		}
	});

	test.each(["p", "🌴"])(
		"accepts a body of 64 KiB filled with %p, with and without Content-Length",
		async (padding) => {
			const text = padded(operation, MAX_BYTES, padding);
			expect(Buffer.byteLength(text)).toBe(MAX_BYTES);
			await expectRead(resort, operation, asJson(text));
			await expectRead(resort, operation, { raw: inPieces(text), headers: JSON_TYPE });
		},
	);

	test.each([
		[MAX_BYTES + 1, "p"],
		[MAX_BYTES + 1, "🌴"],
		[4 * MAX_BYTES, "p"],
	])("refuses with 413 a body of %d bytes filled with %p", async (bytes, padding) => {
		const text = padded(operation, bytes, padding);
		for (const raw of [text, inPieces(text)]) {
			const answered = await send(operation, { raw, headers: JSON_TYPE });
			expectRefusal(answered, 413, "Body must be at most 64 KiB");
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
		expectFailure(await send(operation, { raw: endless, headers: JSON_TYPE }), 413);
		expect(pieces).toBeLessThan(30);
	});

	test.each([
		["an invalid first byte", "7bff7d"],
		["an incomplete sequence", "7b22c328223a317d"],
		["a lone surrogate", "7b22eda080223a317d"],
		["UTF-16", "fffe7b007d00"],
	])("refuses with 400 a body that is not UTF-8: %s", async (_, hex) => {
		const answered = await send(operation, { raw: Uint8Array.fromHex(hex), headers: JSON_TYPE });
		expectRefusal(answered, 400, "Body is not valid UTF-8");
	});

	test.each(["gzip", "GZIP", "br", "zstd", "identity, gzip", "x"])(
		"refuses with 415 a body whose Content-Encoding is %p",
		async (coding) => {
			const good = JSON.stringify(operation.body?.good);
			const headers = { ...JSON_TYPE, "content-encoding": coding };
			for (const raw of [good, Bun.gzipSync(good), inPieces(good)]) {
				expectRefusal(await send(operation, { raw, headers }), 415, "Send the body uncompressed");
			}
		},
	);

	test.each(["identity", " Identity ", ""])("accepts a body whose Content-Encoding is %p", async (coding) => {
		const raw = JSON.stringify(operation.body?.good);
		await expectRead(resort, operation, { raw, headers: { ...JSON_TYPE, "content-encoding": coding } });
	});
});

const ignoring = withBody.filter(({ path }) => !refusesFields(path));
test.each(rows(ignoring))("%s ignores unknown fields with unusual names and values", async (_, operation) => {
	const deep = "[".repeat(7) + "]".repeat(7);
	const good = JSON.stringify(operation.body?.good).slice(0, -1);
	for (const field of [
		`"nested":${deep},"text":"[[[[[[[[[[\\"[{{{{{{{{{{\\\\"`,
		'"__proto__":{"name":"A","polluted":true}',
		'"constructor":{"prototype":{"polluted":true}}',
		'"prototype":null,"toString":1,"hasOwnProperty":false',
		'"":1,"🌴":2,"\\u0000":3',
	]) {
		await expectRead(resort, operation, asJson(`${good},${field}}`));
	}
	expect("polluted" in {}).toBe(false);
});

test.each(rows(optional))("%s accepts an empty body with any Content-Type", async (_, operation) => {
	const { status } = await send(operation, { body: {} });
	for (const type of ["application/json", "text/plain", "multipart/mixed"]) {
		for (const raw of ["", new Uint8Array(), new Blob().stream()]) {
			const answered = await send(operation, { raw, headers: { "content-type": type } });
			expect(answered.status, answered.text).toBe(status);
		}
	}
});

test.each(rows(required))("%s refuses with 400 an empty body and an empty object", async (_, operation) => {
	for (const ask of [{ raw: "" }, asJson(""), asJson("{}")]) {
		expectFailure(await send(operation, ask), 400);
	}
});

import { describe, expect, test } from "bun:test";
import type { LogRecord } from "@logtape/logtape";
import { formatRecord } from "../../src/server/log/log-format.ts";

const forged =
	'x\r\n{"level":"INFO"}\u001b[31m\u0000\u007f\u009b2J\u2028\u202e';

const record: LogRecord = {
	category: ["resort"],
	level: "error",
	message: [`failed ${forged}`],
	rawMessage: "failed",
	timestamp: Date.UTC(2026, 2, 10, 12),
	properties: { route: "/api/me", error: forged, count: 2 },
};

describe.each(["json", "text"] as const)("a line as %s", (name) => {
	const line = formatRecord(name, record);

	test("is one line with all that is logged, without terminal escapes", () => {
		expect(line).toEndWith("\n");
		expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
		for (const part of ["2026-03-10T12:00:00", "failed", "/api/me", "[31m"]) {
			expect(line).toContain(part);
		}
	});
});

test("JSON returns what was logged", () => {
	expect(JSON.parse(formatRecord("json", record))).toEqual({
		"@timestamp": "2026-03-10T12:00:00.000Z",
		level: "ERROR",
		message: `failed ${forged}`,
		logger: "resort",
		route: "/api/me",
		error: forged,
		count: 2,
	});
});

test("text shows a word as it is, and all else as JSON", () => {
	const properties = { a: "word", b: "two words", c: 'a"b', d: "x=1", e: null };
	expect(
		formatRecord("text", { ...record, message: ["all well"], properties }),
	).toBe(
		'2026-03-10T12:00:00.000Z ERROR all well a=word b="two words" c="a\\"b" d="x=1" e=null\n',
	);
});

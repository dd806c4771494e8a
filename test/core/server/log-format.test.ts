import { expect, test } from "bun:test";
import type { LogRecord } from "@logtape/logtape";
import { formatRecord } from "../../../src/core/server/log/log.ts";

const forged = 'x\r\n{"level":"INFO"}\u001b[31m\u0000\u007f\u009b2J\u2028\u202e';

const record: LogRecord = {
	category: ["resort"],
	level: "error",
	message: [`failed ${forged}`],
	rawMessage: "failed",
	timestamp: Date.UTC(2026, 2, 10, 12),
	properties: {
		route: "/api/me",
		error: forged,
		count: 2,
		a: "word",
		b: "two words",
		c: 'a"b',
		d: "x=1",
		e: null,
		whom: undefined,
	},
};

const request: LogRecord = {
	...record,
	level: "warning",
	message: ["request"],
	properties: {
		method: "GET",
		route: "/api/me",
		status: 200,
		durationMs: 0.5,
		agentId: undefined,
		requestId: "a=1",
	},
};

// To record the snapshot again, run this test with `--update-snapshots`.
test.each(["json", "text"] as const)(
	"a log record is formatted as one line without control characters (`--log-format %s`)",
	(name) => {
		const line = formatRecord(name, record);
		expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
		expect([line, formatRecord(name, request)]).toMatchSnapshot();
	},
);

test("a log line in JSON escapes the control characters of messages and fields instead of dropping them", () => {
	const { message, error } = JSON.parse(formatRecord("json", record));
	expect({ message, error }).toEqual({ message: `failed ${forged}`, error: forged });
});

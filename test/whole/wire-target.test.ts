import { describe, expect, test } from "bun:test";
import { sources } from "../support/executable.ts";
import { expectNoWarnings, useServer } from "../support/use-resort.ts";
import { exchange, transcript } from "../support/wire.ts";

const server = useServer(["serve", "--ephemeral"], { program: sources }, expectNoWarnings);

const HOST = "Host: resort.test\r\n";

async function answerTo(target: string, fields = HOST, method = "GET") {
	const request = `${method} ${target} HTTP/1.1\r\n${fields}\r\n`;
	const [answer] = await exchange(server.port, { parts: [request] });
	if (answer === undefined) throw new Error("no answer");
	return answer;
}

/** Expects a 400 with the header fields of every error. */
async function expectRefused(target: string, fields?: string, method?: string) {
	const { status, head, body } = await answerTo(target, fields, method);
	expect(status, body).toBe(400);
	const { error, hint, ...rest } = JSON.parse(body);
	expect(rest).toEqual({});
	expect(error).toStartWith("Invalid ");
	expect(hint).toBeString();
	const lower = head.toLowerCase();
	expect(lower).toContain("content-type: application/json");
	expect(lower).toContain("x-content-type-options: nosniff");
	expect(lower).toContain("cache-control: no-store");
	expect(lower).toContain("x-request-id: ");
}

describe("a backslash in the request target is refused with 400", () => {
	test.each([
		"/api\\health",
		"/api\\health/",
		"/api/health\\",
		"/api/agents\\status?ids=x",
		"/api/health?x=\\",
		"/api/health?\\",
		"/api/health?x=%5c\\",
		"/api/health#\\",
		"/\\",
		"/\\api/health",
		"http://resort.test/api\\health",
		// These targets have as many segments as the path that a URL parser would read.
		"/api/x\\..\\health",
		"/x\\..\\api/health",
		"/api\\x/../health",
		"/x/..\\api\\health",
		// These targets have escapes. Some escapes are invalid because of the two characters after the percent
		// sign.
		"/api/%5c/..\\health",
		"/api/%zz\\..\\health",
		"/api/x%\\../health",
		"/api/x%a\\../health",
		"/x%\\../y%\\../api/health",
		"/api/agents/x%\\y/status",
		"/api/\xff\\..\\health",
		// No pattern of the router matches these.
		"/api/x//..\\..\\health",
		`${"/x".repeat(7)}${"\\..".repeat(7)}\\api\\health`,
	])("%j", async (target) => {
		for (const host of [HOST, "Host: a b\r\n"]) {
			await expectRefused(target, host);
		}
	});

	test.each(["POST", "PUT", "OPTIONS"])("with %s", async (method) => {
		await expectRefused("/api\\me", HOST, method);
	});

	test("with HEAD, and the response has no body", async () => {
		const fields = `${HOST}Connection: close\r\n`;
		const head = `HEAD /api\\me HTTP/1.1\r\n${fields}\r\n`;
		const text = await transcript(server.port, { parts: [head] });
		expect(text).toStartWith("HTTP/1.1 400 ");
		expect(text.indexOf("\r\n\r\n")).toBe(text.length - 4);
	});
});

describe("a dot segment in the path is refused with 400", () => {
	const targets = `/api/./health /./api/health /api/health/. /api/health/.. /. /../api/health /api/x/../health
		/api/x/%2e%2e/health /api/x/%2E./health /api/%2e/health /api/%2E/health?x=1 /api/agents/./status
		/api/agents/%2e%2e/status /mcp/. /./me/sign-in /test/./state http://resort.test/api/./health`;

	test.each([
		...targets.split(/\s+/),
		// No pattern of the router matches these.
		"/x/../x/../x/../api/health",
		"/x//../../api/health",
	])("%s", async (target) => {
		await expectRefused(target);
	});
});

test.each([
	["/", 200],
	["/api/health", 200],
	["/api/health?x=%5c", 200],
	["/api/health?x=/../y", 200],
	["/api/health?/./", 200],
	["/api/agents/...", 404],
	["/api/agents/.a/status", 404],
	["/api/agents/%252e/status", 404],
	["/.well-known/api-catalog", 200],
	["/api/agents/%5c", 404],
	["/api/agents/%5C/status", 404],
	["/api/agents/%5c%5cx%zz/status", 404],
	["/api/agents/%ff%fe", 404],
	["/api/agents/%EF%BF%BD/status", 404],
	["//api/health", 404],
	["/api//health", 404],
	[`${"/x".repeat(6)}`, 404],
	[`${"/x".repeat(6)}/`, 404],
	[`${"/x".repeat(7)}`, 404],
	[`${"/x".repeat(200)}`, 404],
])("the target %s, without backslash and dot segment, returns %i", async (target, expected) => {
	const { status, body } = await answerTo(target);
	expect(status, body).toBe(expected);
});

describe("the header field Host", () => {
	test.each([
		[1, 200],
		[254, 200],
		[255, 200],
		[256, 400],
		[15_000, 400],
	])("with a value of %i bytes returns %i", async (length, expected) => {
		for (const letter of ["a", "\xe9", "%61", "b a"]) {
			const host = letter.repeat(length).trim().slice(0, length);
			const fields = `Host: ${host}\r\n`;
			if (expected === 400) await expectRefused("/api/health", fields);
			else expect((await answerTo("/api/health", fields)).status).toBe(200);
		}
	});

	test.each([
		"Host: a\r\nHost: b\r\n",
		"Host: a\r\nHost: a\r\n",
		"host: a\r\nX: y\r\nHOST: b\r\n",
		"Host: a\r\nHost:\r\n",
		"Host:\r\nHost: a\r\n",
		"Host:\r\nHost:\r\n",
		"Host: a, b\r\n",
	])("with more than one field or value returns 400: %j", async (fields) => {
		await expectRefused("/api/health", fields);
		const body = '{"name":"Ada"}';
		const more = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
		const request = `POST /api/agents HTTP/1.1\r\n${fields}${more}\r\n${body}`;
		const next = `GET /api/health HTTP/1.1\r\n${HOST}\r\n`;
		const answers = await exchange(server.port, { parts: [request + next], answers: 2 });
		expect(answers.map(({ status }) => status)).toEqual([400, 200]);
	});
});

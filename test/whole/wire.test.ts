/** Tests requests that are written to a connection as raw bytes: targets, `Host`, bodies, and pipelining. */
import { describe, expect, test } from "bun:test";
import { serve, sources } from "../support/executable.ts";
import { expectNoWarnings, useAgent, useServer } from "../support/use-resort.ts";
import { exchange, transcript } from "../support/wire.ts";

const server = useServer(["serve", "--ephemeral"], { program: sources }, expectNoWarnings);
const agent = useAgent(server);

const host = "Host: resort.test\r\n";
const json = "Content-Type: application/json\r\n";
const withKey = () => `Authorization: Bearer ${agent.key}\r\n`;
const post = `POST /api/agents HTTP/1.1\r\n${host}${json}`;

/** Sends a request, and returns its response. */
async function answerTo(...parts: string[]) {
	const [answer] = await exchange(server.port, { parts });
	if (answer === undefined) throw new Error("no answer");
	const isJson = answer.head.includes("Content-Type: application/json\r\n");
	return { ...answer, json: isJson ? JSON.parse(answer.body) : null };
}

/** Expects a 400 response with the header fields that every error has. */
async function expectRefused(target: string, fields = host, method = "GET") {
	const request = `${method} ${target} HTTP/1.1\r\n${fields}\r\n`;
	const { status, head, body, json: refusal } = await answerTo(request);
	expect(status, body).toBe(400);
	expect(refusal).toEqual({ error: expect.stringMatching(/^Invalid /), hint: expect.any(String) });
	for (const field of ["x-content-type-options: nosniff", "cache-control: no-store", "x-request-id: "]) {
		expect(head.toLowerCase()).toContain(field);
	}
}

describe("an unusual request", () => {
	test.each([
		["HTML in the Host field", "/api/health", "Host: <script>\r\n", 200],
		["a whole URL as the target", "http://elsewhere.test/api/health", host, 200],
		["a whole URL without a path as the target", "http://elsewhere.test", host, 200],
		["raw bytes in the path", "/api/agents/\xff\xfe", host, 404],
		["an escaped NUL in the path", "/api/agents/%00", host, 404],
		["an overlong UTF-8 escape in the path", "/%c0%ae%c0%ae/etc/passwd", host, 404],
		["a broken query", "/api/agents/status?ids=%ff%zz&_%", host, 200],
		["a very long API key", "/api/me", `${host}Authorization: Bearer ${"k".repeat(12_000)}\r\n`, 401],
		["a very long cookie", "/api/me", `${host}Cookie: __Host-resort_session=${"c".repeat(12_000)}\r\n`, 401],
		[
			"an upgrade to WebSocket",
			"/api/health",
			`${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`,
			200,
		],
	])("gets a response if it has %s", async (_, target, fields, expected) => {
		const answer = await answerTo(`GET ${target} HTTP/1.1\r\n${fields}\r\n`);
		expect(answer.status, answer.body).toBe(expected);
		expect("ok" in answer.json).toBe(expected === 200);
	});

	test.each([
		["is HTTP/1.0 without Host", "1.0", ""],
		["has an empty Host", "1.1", "Host:\r\n"],
		["has a space in the Host", "1.1", "Host: a b\r\n"],
		["has an invalid port in the Host", "1.1", "Host: a:99999\r\n"],
		["has a path and a query in the Host", "1.1", "Host: a/api/health?\r\n"],
		["has bytes that are not UTF-8 in the Host", "1.1", "Host: \xe9\xff%ff\r\n"],
		["has a user and a password in the Host", "1.1", "Host: u:p@a\r\n"],
	])("is routed by its path even if it %s", async (_, version, fields) => {
		const ask = (target: string) => answerTo(`GET ${target} HTTP/${version}\r\n${fields}\r\n`);
		const { id } = agent;
		for (let time = 0; time < 2; time++) {
			const status = await ask(`/api/agents/${id}/status`);
			expect(status.json).toMatchObject({ status: "available", agent: { id } });
			const upper = await ask(`/api/agents/${id.toUpperCase()}/status`);
			expect(upper.body).toBe(status.body);
			expect((await ask(`/api/agents/${id}`)).json.agent.name).toBe("Ada");
			expect((await ask("/api/activities?_=/api/me")).status).toBe(200);
			expect((await ask("/aaaaaaaaaaaaaa/api/activities")).status).toBe(404);
			expect((await ask("/aa?x=http://localhost/api/lobby")).status).toBe(404);
		}
	});

	test("counts towards the rate limit of its client address, whatever its Host", async () => {
		const body = '{"name":"Ada"}';
		const args = ["serve", "--ephemeral", "--rate-limits", "on"];
		await using limited = await serve(args, { cwd: "/", program: sources });
		const statuses: (number | undefined)[] = [];
		for (const named of ["a b", "", "a/b", "x", "[::1", "y"]) {
			const head = `POST /api/agents HTTP/1.1\r\nHost: ${named}\r\n${json}`;
			const [answer] = await exchange(limited.port, {
				parts: [`${head}Content-Length: ${body.length}\r\n\r\n${body}`],
			});
			statuses.push(answer?.status);
		}
		expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
	});
});

describe("a request with a body", () => {
	const checkin = (named: string, fields: string) =>
		`POST /api/checkin HTTP/1.1\r\n${named}${json}${fields}\r\n`;
	const chunk = `1000\r\n${"c".repeat(4096)}\r\n`;

	test.each([
		["2 MB announced, but nothing sent", "Content-Length: 2000000\r\n", []],
		["200 MB announced, but nothing sent", "Content-Length: 200000000\r\n", []],
		["2 MB with Content-Length", "Content-Length: 2000000\r\n", ["b".repeat(2_000_000)]],
		["2 MB in chunks", "Transfer-Encoding: chunked\r\n", [...Array(500).fill(chunk), "0\r\n\r\n"]],
	])("gets 413 with a key, and 401 without one, if its body is too large: %s", async (_, length, sent) => {
		for (const named of [host, "Host: a b\r\n"]) {
			const anonymous = await answerTo(checkin(named, length), ...sent);
			expect(anonymous.status).toBe(401);
			expect(anonymous.json.error).toBe("Unauthorized");
			const request = checkin(named, withKey() + length);
			const known = await answerTo(request, ...sent);
			expect(known.status).toBe(413);
			expect(known.json).toEqual({ error: "Body must be at most 64 KiB" });
		}
	});

	test.each([
		[65_536, 200],
		[65_537, 413],
	])("may have a body of at most 65,536 bytes: `Content-Length: %d` returns %d", async (length, expected) => {
		const head = `${post}Content-Length: ${length}\r\n\r\n`;
		const body = '{"phase":"discover"}'.padEnd(length);
		expect((await answerTo(head, body)).status).toBe(expected);
	});

	test.each([
		["4 of 100 bytes", "Content-Length: 100\r\n", '{"na'],
		["4 of 32 bytes of a chunk", "Transfer-Encoding: chunked\r\n", '20\r\n{"na'],
		["none of 100 bytes", "Content-Length: 100\r\n", ""],
	])("gets a 400 or a closed connection if its body is incomplete: %s", async (_, length, sent) => {
		const parts = [`${post}${length}\r\n${sent}`];
		const answers = await exchange(server.port, { parts, end: true });
		const statuses = answers.map(({ status }) => status);
		expect([[], [400]]).toContainEqual(statuses);
	});
});

describe("pipelined requests (RFC 9112, 9.3.2)", () => {
	const get = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\n${host}${fields}\r\n`;
	const send = (path: string, body: string, fields = "") =>
		`POST ${path} HTTP/1.1\r\n${host}${json}${fields}Content-Length: ${body.length}\r\n\r\n${body}`;

	test.each<[name: string, status: number, request: () => string]>([
		["a GET of a document", 200, () => get("/openapi.json")],
		["a GET with a key", 200, () => get("/api/me", withKey())],
		["a POST of 2 MB without a credential", 401, () => send("/api/checkin", "b".repeat(2_000_000))],
		["a POST of 2 MB", 413, () => send("/api/checkin", "b".repeat(2_000_000), withKey())],
		["a POST to an unknown path", 404, () => send("/nowhere", "{}")],
		["a POST of invalid JSON", 400, () => send("/api/checkin", "{", withKey())],
	])("are answered in order if the first is %s", async (_, status, request) => {
		const answers = await exchange(server.port, { parts: [request() + get("/api/health")], answers: 2 });
		expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
	});

	test("are answered in order if their bytes arrive in two parts", async () => {
		const whole = send("/api/checkin", '{"notes":"calm"}') + get("/api/health");
		const answers = await exchange(server.port, {
			parts: [whole.slice(0, -60), whole.slice(-60)],
			answers: 2,
		});
		expect(answers.map(({ status }) => status)).toEqual([401, 200]);
	});
});

describe("a request target with a backslash", () => {
	test.each([
		"/api\\health",
		"/api/health\\",
		"/api/health?x=%5c\\",
		"/api/health#\\",
		"/\\api/health",
		"http://resort.test/api\\health",
		// These targets also contain dot segments. A URL parser reads the path of each as /api/health.
		"/api/x\\..\\health",
		"/api\\x/../health",
		"/x/..\\api\\health",
		// These targets also contain valid or invalid escapes (`%zz`, `%a\`), or a byte that is not ASCII.
		"/api/%5c/..\\health",
		"/api/%zz\\..\\health",
		"/api/x%a\\../health",
		"/x%\\../y%\\../api/health",
		"/api/agents/x%\\y/status",
		"/api/\xff\\..\\health",
		// These targets match no pattern of the router.
		"/api/x//..\\..\\health",
		`${"/x".repeat(7)}${"\\..".repeat(7)}\\api\\health`,
	])("is refused with 400: `%s`", async (target) => {
		for (const fields of [host, "Host: a b\r\n"]) {
			await expectRefused(target, fields);
		}
	});

	test("is refused with 400 if the method is POST", () => expectRefused("/api\\me", host, "POST"));

	test("is refused with 400, without a body in the response, if the method is HEAD", async () => {
		const head = `HEAD /api\\me HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
		const text = await transcript(server.port, { parts: [head] });
		expect(text).toStartWith("HTTP/1.1 400 ");
		expect(text.indexOf("\r\n\r\n")).toBe(text.length - 4);
	});
});

describe("a request target with a dot segment in its path", () => {
	const targets = `/./api/health /api/health/.. /. /api/x/../health /api/x/%2E./health /api/%2e/health?x=1
		/api/agents/./status /api/agents/%2e%2e/status /mcp/. http://resort.test/api/./health`;

	test.each([
		...targets.split(/\s+/),
		// These targets match no pattern of the router.
		"/x/../x/../x/../api/health",
		"/x//../../api/health",
	])("is refused with 400: `%s`", async (target) => {
		await expectRefused(target);
	});
});

test.each([
	["/api/health?x=%5c", 200],
	["/api/health?x=/../y", 200],
	["/api/agents/...", 404],
	["/api/agents/.a/status", 404],
	["/api/agents/%252e/status", 404],
	["/.well-known/api-catalog", 200],
	["/api/agents/%5C/status", 404],
	["/api/agents/%5c%5cx%zz/status", 404],
	["/api/agents/%EF%BF%BD/status", 404],
	["//api/health", 404],
	["/x".repeat(6), 404],
	[`${"/x".repeat(6)}/`, 404],
	["/x".repeat(7), 404],
])(
	"the target `%s` has no backslash or dot segment in its path, and returns %i",
	async (target, expected) => {
		const { status, body } = await answerTo(`GET ${target} HTTP/1.1\r\n${host}\r\n`);
		expect(status, body).toBe(expected);
	},
);

describe("a Host field", () => {
	test.each([
		[1, 200],
		[254, 200],
		[255, 200],
		[256, 400],
	])("of length %i gets %i (the maximum is 255 bytes)", async (length, expected) => {
		for (const letter of ["a", "\xe9", "%61", "b a"]) {
			const value = letter.repeat(length).trim().slice(0, length);
			const { status } = await answerTo(`GET /api/health HTTP/1.1\r\nHost: ${value}\r\n\r\n`);
			expect(status).toBe(expected);
		}
	});

	test.each([
		["occurs twice with the same value", "Host: a\r\nHost: a\r\n"],
		["occurs twice, as `host` and as `HOST`", "host: a\r\nX: y\r\nHOST: b\r\n"],
		["is followed by an empty Host field", "Host: a\r\nHost:\r\n"],
		["follows an empty Host field", "Host:\r\nHost: a\r\n"],
		["has two values", "Host: a, b\r\n"],
	])("is refused with 400 if it %s", async (_, fields) => {
		await expectRefused("/api/health", fields);
		const body = '{"name":"Ada"}';
		const request = `POST /api/agents HTTP/1.1\r\n${fields}${json}Content-Length: ${body.length}\r\n\r\n${body}`;
		const next = `GET /api/health HTTP/1.1\r\n${host}\r\n`;
		const answers = await exchange(server.port, { parts: [request + next], answers: 2 });
		expect(answers.map(({ status }) => status)).toEqual([400, 200]);
	});
});

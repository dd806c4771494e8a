import { describe, expect, test } from "bun:test";
import { exchange, useServer } from "../../support/wire.ts";

const server = useServer();

const HOST = "Host: resort.test\r\n";
const GET_HEALTH = `GET /api/health HTTP/1.1\r\n${HOST}\r\n`;

const get = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\n${HOST}${fields}\r\n`;

const post = (path: string, body: string, fields = "") =>
	`POST ${path} HTTP/1.1\r\n${HOST}${fields}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const withKey = () => `Authorization: Bearer ${server.key}\r\n`;

/** The statuses of a request and of GET /api/health behind it, sent before the first answer. */
async function statusesOf(...parts: string[]): Promise<number[]> {
	const last = `${parts.pop()}${GET_HEALTH}`;
	const sent = { parts: [...parts, last], answers: 2 };
	const answers = await exchange(server.port, sent);
	return answers.map(({ status }) => status);
}

/** RFC 9112, section 9.3.2. */
describe("a request behind an unanswered one gets its answer", () => {
	test.each<[name: string, status: number, request: () => string]>([
		["a list", 200, () => get("/api/activities")],
		["a document", 200, () => get("/openapi.json")],
		["what is private", 200, () => get("/api/me", withKey())],
		["an unknown path", 404, () => get("/nowhere")],
		["a POST without credential", 401, () => post("/api/checkin", "{}")],
		["one with 2 MB", 401, () => post("/api/checkin", "b".repeat(2_000_000))],
		["one with 2 MB and key", 413, () => post("/api/checkin", "b".repeat(2_000_000), withKey())],
		["one to nowhere", 404, () => post("/nowhere", "{}")],
		["one that is no JSON", 400, () => post("/api/checkin", "{", withKey())],
		["a wrong key", 401, () => post("/api/session", '{"apiKey":"nobody\'s key"}')],
	])("%s", async (_, status, request) => {
		expect(await statusesOf(request())).toEqual([status, 200]);
	});

	test("behind a body that comes late", async () => {
		const whole = post("/api/checkin", '{"notes":"calm"}');
		const parts = [whole.slice(0, -5), whole.slice(-5)];
		expect(await statusesOf(...parts)).toEqual([401, 200]);
	});
});

import { expect, test } from "bun:test";
import { sources } from "../support/executable.ts";
import { expectNoWarnings, useAgent, useServer } from "../support/use-resort.ts";
import { exchange } from "../support/wire.ts";

const server = useServer(["serve", "--ephemeral"], { program: sources }, expectNoWarnings);
const agent = useAgent(server);

const HOST = "Host: resort.test\r\n";

const get = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\n${HOST}${fields}\r\n`;

const post = (path: string, body: string, fields = "") =>
	`POST ${path} HTTP/1.1\r\n${HOST}${fields}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const withKey = () => `Authorization: Bearer ${agent.key}\r\n`;

// RFC 9112, section 9.3.2.
test.each<[name: string, status: number, request: () => string]>([
	["a list", 200, () => get("/api/activities")],
	["a document", 200, () => get("/openapi.json")],
	["a private read", 200, () => get("/api/me", withKey())],
	["an unknown path", 404, () => get("/nowhere")],
	["a POST without a credential", 401, () => post("/api/checkin", "{}")],
	["a POST of 2 MB without a credential", 401, () => post("/api/checkin", "b".repeat(2_000_000))],
	["a POST of 2 MB", 413, () => post("/api/checkin", "b".repeat(2_000_000), withKey())],
	["a POST to an unknown path", 404, () => post("/nowhere", "{}")],
	["a POST of invalid JSON", 400, () => post("/api/checkin", "{", withKey())],
	["a wrong key", 401, () => post("/api/session", '{"apiKey":"nobody\'s key"}')],
])("answers a request that arrives together with %s", async (_, status, request) => {
	const answers = await exchange(server.port, { parts: [request() + get("/api/health")], answers: 2 });
	expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
});

test("answers a request behind a body that arrives in two parts", async () => {
	const whole = post("/api/checkin", '{"notes":"calm"}') + get("/api/health");
	const answers = await exchange(server.port, { parts: [whole.slice(0, -60), whole.slice(-60)], answers: 2 });
	expect(answers.map(({ status }) => status)).toEqual([401, 200]);
});

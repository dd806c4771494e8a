import { describe, expect, test } from "bun:test";
import { createApiKey } from "../../../src/core/lib/credential.ts";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { resortAt } from "../../support/calls.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { UUID_V7 } from "../../support/values.ts";
import { linesOf, logOf } from "./log-of.ts";

const folder = useTemporaryFolder();

const register = (url: string) =>
	resortAt(url).send("POST", "/api/agents", { body: { name: "Ada", bio: "Not for the log." } });

describe("the log line of a request", () => {
	test("has all fields in order, and the id of an authenticated agent", async () => {
		let agentId = "";
		const { stderr } = await logOf(folder, [], async (url) => {
			const { agent, apiKey } = await register(url);
			agentId = agent.id;
			await fetch(`${url}/api/agents/${agentId}/status`);
			const headers = { authorization: `Bearer ${apiKey}` };
			await fetch(`${url}/api/me`, { headers });
			await fetch(`${url}/api/me`);
			await fetch(`${url}/api/me`, { method: "PATCH", headers, body: "{" });
			await fetch(`${url}/api/agents/${agentId}`, { method: "HEAD" });
			await fetch(`${url}/api/${apiKey}`);
		});
		const lines = linesOf(stderr, "request");
		expect(lines.map(({ method, route, status, agentId }) => [method, route, status, agentId])).toEqual([
			["POST", "/api/agents", 201, undefined],
			["GET", "/api/agents/:id/status", 200, undefined],
			["GET", "/api/me", 200, agentId],
			["GET", "/api/me", 401, undefined],
			["PATCH", "/api/me", 400, agentId],
			["HEAD", "/api/agents/:id", 200, undefined],
			["GET", "unknown", 404, undefined],
		]);
		for (const line of lines) {
			expect(line).toMatchObject({ level: "INFO", logger: "resort" });
			expect(line["@timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
			expect(line.requestId).toMatch(UUID_V7);
			expect(String(line.durationMs)).toMatch(/^\d+(\.\d{1,3})?$/);
			expect(line.durationMs).toBeGreaterThan(0);
		}
		expect(new Set(lines.map((line) => line.requestId)).size).toBe(lines.length);
		expect(Object.keys(lines[2] ?? {}).join()).toBe(
			"@timestamp,level,message,logger,method,route,status,durationMs,agentId,requestId",
		);
	});

	test.each(["json", "text"])("has no key, cookie, body or query in the format `%s`", async (format) => {
		let session = "";
		let key = "";
		const { stderr } = await logOf(folder, ["--log-format", format, "--log-level", "debug"], async (url) => {
			({ apiKey: key } = await register(url));
			const path = "/api/session";
			const response = await resortAt(url).call("POST", path, { body: { apiKey: key } });
			const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
			session = cookie.split("=")[1] ?? "";
			await fetch(`${url}/api/me?secret=word`, { headers: { cookie } });
			await fetch(`${url}/api/nowhere/hidden?apiKey=${key}`);
		});
		expect(session.length).toBeGreaterThan(20);
		expect(stderr).toContain("/api/session");
		for (const secret of [key, session, "Not for", "secret", "hidden"]) {
			expect(stderr).not.toContain(secret);
		}
	});
});

describe("X-Request-Id", () => {
	const { apiKey } = createApiKey(systemRandom);
	const safe = ["a", "A-z.0_9:/+=@", "x".repeat(128)];
	const unsafe = [apiKey, "x".repeat(129), "a b", 'a"b', "a\\nb", "a,b", "\u00e9", "\u009b31m", "a\tb"];

	test("is copied to the response and the log unless it is an API key, is too long or has unsafe characters", async () => {
		const answered: (string | null)[] = [];
		const { stderr } = await logOf(folder, [], async (url) => {
			for (const id of [...safe, ...unsafe]) {
				const { headers } = await fetch(`${url}/api/lobby`, { headers: { "x-request-id": id } });
				answered.push(headers.get("x-request-id"));
			}
		});
		expect(answered.slice(0, safe.length)).toEqual(safe);
		for (const id of answered.slice(safe.length)) expect(id).toMatch(UUID_V7);
		expect(linesOf(stderr, "request").map(({ requestId }) => requestId)).toEqual(answered as string[]);
	});
});

describe("the setting `--log-level`", () => {
	test.each([
		["info", "requests and warnings", true, true],
		["warning", "warnings, but no requests", false, true],
		["error", "neither requests nor warnings", false, false],
	])("with the value `%s` logs %s", async (level, _logged, hasRequests, hasWarnings) => {
		const flags = ["--log-level", level, "--host", "0.0.0.0"];
		const { stderr } = await logOf(folder, flags, (url) => fetch(`${url}/api/lobby`));
		expect(stderr.includes('"request"')).toBe(hasRequests);
		expect(stderr.includes("remove --rate-limits off")).toBe(hasWarnings);
	});
});

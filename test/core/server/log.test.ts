import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";
import { UUID_V7 } from "../../support/values.ts";
import { ask, send } from "../../support/visit.ts";
import { linesOf, logOf } from "./log-of.ts";

const folder = useTemporaryFolder();

const register = (url: string) =>
	ask(url, "POST", "/api/agents", { key: "", body: { name: "Ada", bio: "Not for the log." } });

describe("a request's line", () => {
	test("has every field, in order, and the agent once it is authenticated", async () => {
		let agentId = "";
		const { stderr } = await logOf(folder, [], async (url) => {
			const { agent, apiKey } = await register(url);
			agentId = agent.id;
			await fetch(`${url}/api/agents/${agent.id}/status`);
			const headers = { authorization: `Bearer ${apiKey}` };
			await fetch(`${url}/api/me`, { headers });
			await fetch(`${url}/api/me`);
			// Authenticated, then refused for its body.
			await fetch(`${url}/api/me`, { method: "PATCH", headers, body: "{" });
			await fetch(`${url}/api/agents/${agent.id}`, { method: "HEAD" });
			await fetch(`${url}/api/${apiKey}`);
			await fetch(`${url}/metrics`);
		});
		const lines = linesOf(stderr, "request");
		const told = lines.map(({ method, route, status, agentId: agent }) => {
			return [method, route, status, agent === agentId ? "Ada" : agent];
		});
		// To record it again, add --update-snapshots.
		expect(told).toMatchSnapshot();
		for (const line of lines) {
			expect(line).toMatchObject({ level: "INFO", logger: "resort" });
			expect(line["@timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
			expect(line.requestId).toMatch(UUID_V7);
			expect(String(line.durationMs)).toMatch(/^\d+(\.\d{1,3})?$/);
			expect(line.durationMs).toBeGreaterThan(0);
		}
		expect(new Set(lines.map((line) => line.requestId)).size).toBe(8);
		expect(Object.keys(lines[2] ?? {})).toMatchSnapshot();
	});

	test.each(["json", "text"])("holds no key, cookie, body or query (%s)", async (format) => {
		let session = "";
		let key = "";
		const { stderr } = await logOf(folder, ["--log-format", format, "--log-level", "debug"], async (url) => {
			({ apiKey: key } = await register(url));
			const path = "/api/session";
			const response = await send(url, "POST", path, { key: "", body: { apiKey: key } });
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

describe("x-request-id", () => {
	const sane = ["a", "A-z.0_9:/+=@", "x".repeat(128)];
	const insane = ["x".repeat(129), "a b", 'a"b', "a\\nb", "a,b", "caf\u00e9", "\u009b31m", "a\tb", "<a>"];

	test("is taken over when it is sane, and made anew when it is not", async () => {
		const answered: (string | null)[] = [];
		const { stderr } = await logOf(folder, [], async (url) => {
			for (const id of [...sane, ...insane]) {
				const { headers } = await fetch(`${url}/api/lobby`, {
					headers: { "x-request-id": id },
				});
				answered.push(headers.get("x-request-id"));
			}
		});
		expect(answered.slice(0, sane.length)).toEqual(sane);
		for (const id of answered.slice(sane.length)) expect(id).toMatch(UUID_V7);
		expect(linesOf(stderr, "request").map(({ requestId }) => requestId)).toEqual(answered as string[]);
	});
});

describe("--log-level", () => {
	test.each([
		["debug", true, true],
		["info", true, true],
		["warning", false, true],
		["error", false, false],
	])("%s", async (level, tellsRequests, tellsWarnings) => {
		const flags = ["--log-level", level, "--seed", "1"];
		const { stderr } = await logOf(folder, flags, (url) => fetch(`${url}/api/lobby`));
		expect(stderr.includes('"request"')).toBe(tellsRequests);
		expect(stderr.includes("guessable")).toBe(tellsWarnings);
	});
});

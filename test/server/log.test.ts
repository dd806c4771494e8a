import { describe, expect, test } from "bun:test";
import { type Ended, run, serve } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;

const UUID =
	/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Serves, lets a test call, and tells what was logged. */
async function logOf(
	flags: readonly string[],
	calls: (url: string) => Promise<void>,
): Promise<Ended> {
	const resort = await serve(["--ephemeral", ...flags], { cwd });
	await calls(resort.url);
	return resort.stop();
}

interface Line extends Record<string, unknown> {
	readonly message: string;
}

function linesOf({ stderr }: Ended): Line[] {
	return stderr
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
}

function requestsOf(ended: Ended): Line[] {
	return linesOf(ended).filter(({ message }) => message === "request");
}

async function register(url: string): Promise<{ id: string; key: string }> {
	const response = await fetch(`${url}/api/agents`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ name: "Ada", bio: "Not for the log." }),
	});
	const { agent, apiKey } = (await response.json()) as {
		agent: { id: string };
		apiKey: string;
	};
	return { id: agent.id, key: apiKey };
}

describe("a request's line", () => {
	test("has every field, in order, and the agent once it is authenticated", async () => {
		let agent = { id: "", key: "" };
		const ended = await logOf([], async (url) => {
			agent = await register(url);
			await fetch(`${url}/api/agents/${agent.id}/status`);
			const headers = { authorization: `Bearer ${agent.key}` };
			await fetch(`${url}/api/me`, { headers });
			await fetch(`${url}/api/me`);
			// Authenticated, then refused for its body.
			await fetch(`${url}/api/me`, { method: "PATCH", headers, body: "{" });
			await fetch(`${url}/api/agents/${agent.id}`, { method: "HEAD" });
			await fetch(`${url}/api/${agent.key}`);
			await fetch(`${url}/metrics`);
		});
		const lines = requestsOf(ended);
		const { id: agentId } = agent;
		expect(
			lines.map(({ method, route, status, agentId }) => [
				method,
				route,
				status,
				agentId,
			]),
		).toEqual([
			["POST", "/api/agents", 201, undefined],
			["GET", "/api/agents/:id/status", 200, undefined],
			["GET", "/api/me", 200, agentId],
			["GET", "/api/me", 401, undefined],
			["PATCH", "/api/me", 400, agentId],
			["HEAD", "/api/agents/:id", 200, undefined],
			["GET", "unknown", 404, undefined],
			["GET", "unknown", 404, undefined],
		]);
		for (const line of lines) {
			expect(line).toMatchObject({ level: "INFO", logger: "resort" });
			expect(line["@timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
			expect(line.requestId).toMatch(UUID);
			expect(String(line.durationMs)).toMatch(/^\d+(\.\d{1,3})?$/);
		}
		expect(new Set(lines.map((line) => line.requestId)).size).toBe(8);
		expect(Object.keys(lines[2] ?? {})).toEqual([
			...["@timestamp", "level", "message", "logger", "method", "route"],
			...["status", "durationMs", "agentId", "requestId"],
		]);
	});

	test.each(["json", "text"])(
		"holds no key, cookie, body or query (%s)",
		async (format) => {
			let session = "";
			let key = "";
			const ended = await logOf(
				["--log-format", format, "--log-level", "debug"],
				async (url) => {
					({ key } = await register(url));
					const response = await fetch(`${url}/api/session`, {
						method: "POST",
						headers: { "content-type": "application/json" },
						body: JSON.stringify({ apiKey: key }),
					});
					session =
						/resort_session=([^;]+)/.exec(
							response.headers.get("set-cookie") ?? "",
						)?.[1] ?? "";
					const cookie = `__Host-resort_session=${session}`;
					await fetch(`${url}/api/me?secret=word`, { headers: { cookie } });
					await fetch(`${url}/api/nowhere/hidden?apiKey=${key}`);
				},
			);
			expect(session.length).toBeGreaterThan(20);
			expect(ended.stderr).toContain("/api/session");
			for (const secret of [key, session, "Not for", "secret", "hidden"]) {
				expect(ended.stderr).not.toContain(secret);
			}
		},
	);
});

describe("--log-format text", () => {
	test("is one readable line a request", async () => {
		const { stderr } = await logOf(["--log-format", "text"], async (url) => {
			const { key } = await register(url);
			const headers = { authorization: `Bearer ${key}`, "x-request-id": "a=1" };
			await fetch(`${url}/api/me`, { headers });
		});
		expect(stderr).toMatch(
			/^\S+Z INFO serving url=http:\/\/127\.0\.0\.1:\d+ database=:memory:$/m,
		);
		expect(stderr).toMatch(
			/^\S+Z INFO request GET \/api\/me 200 \d+(\.\d{1,3})?ms agentId=[0-9a-f-]{36} requestId=a=1$/m,
		);
	});
});

describe("x-request-id", () => {
	const sane = ["a", "A-z.0_9:/+=@", "x".repeat(128)];
	const insane = [
		"x".repeat(129),
		"a b",
		'a"b',
		"a\\nb",
		"a,b",
		"caf\u00e9",
		"\u009b31m",
		"a\tb",
		"<a>",
	];

	test("is taken over when it is sane, and made anew when it is not", async () => {
		const answered: (string | null)[] = [];
		const ended = await logOf([], async (url) => {
			for (const id of [...sane, ...insane]) {
				const { headers } = await fetch(`${url}/api/lobby`, {
					headers: { "x-request-id": id },
				});
				answered.push(headers.get("x-request-id"));
			}
		});
		expect(answered.slice(0, sane.length)).toEqual(sane);
		for (const id of answered.slice(sane.length)) expect(id).toMatch(UUID);
		expect(requestsOf(ended).map(({ requestId }) => requestId)).toEqual(
			answered as string[],
		);
	});
});

describe("--log-level", () => {
	test.each([
		["debug", true, true],
		["info", true, true],
		["warning", false, true],
		["error", false, false],
	])("%s", async (level, tellsRequests, tellsWarnings) => {
		const { stderr } = await logOf(
			["--log-level", level, "--seed", "1"],
			async (url) => {
				await fetch(`${url}/api/lobby`);
			},
		);
		expect(stderr.includes('"request"')).toBe(tellsRequests);
		expect(stderr.includes("guessable")).toBe(tellsWarnings);
	});

	test.each([
		["--log-level", "warn", "must be debug, info, warning or error"],
		["--log-level", "INFO", "must be debug"],
		["--log-level", "", "must be debug"],
		["--log-format", "yaml", "must be json or text"],
		["--metrics-port", "65536", "must be a whole number"],
		["--metrics-host", "a b", "must be an IP address"],
	])("%s %p is refused", async (flag, value, told) => {
		const { exitCode, stderr } = await run([flag, value], { cwd });
		expect(exitCode).toBe(2);
		expect(stderr).toContain(told);
	});

	test("resort test tells no request, whatever the variables say", async () => {
		const { exitCode, stderr } = await run(
			["test", "--", "sh", "-c", 'curl -sf "$RESORT_URL/api/lobby"'],
			{
				cwd,
				env: {
					PATH: process.env.PATH ?? "",
					RESORT_LOG_LEVEL: "debug",
					RESORT_METRICS: "on",
				},
			},
		);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
	});
});

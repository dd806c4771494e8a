import { describe, expect, test } from "bun:test";
import { nearestOperation } from "../../../src/core/calls/nearest-operation.ts";
import { useResort } from "../../support/use-resort.ts";

const context = useResort({ shared: true, baseUrl: "https://resort.example/spa" });

test.each([
	["/api/skill", "text/plain; charset=utf-8"],
	["/api/quickstart", "text/plain; charset=utf-8"],
	["/skill.md", "text/plain; charset=utf-8"],
	["/llms.txt", "text/plain; charset=utf-8"],
	["/llms-full.txt", "text/plain; charset=utf-8"],
	["/robots.txt", "text/plain; charset=utf-8"],
	["/openapi.json", "application/json"],
	["/openapi.yaml", "application/yaml"],
	["/docs", "text/html; charset=utf-8"],
	["/.well-known/agent-skills/index.json", "application/json"],
	["/.well-known/agent-skills/agent-resort/SKILL.md", "text/plain; charset=utf-8"],
	["/extensions/availability/v1", "application/json"],
	["/.well-known/api-catalog", "application/linkset+json"],
])("GET %s returns the media type %p and links to the other documents", async (path, mediaType) => {
	const { status, headers, text } = await context.call("GET", path);
	expect(status).toBe(200);
	expect(text).not.toBe("");
	expect(headers.get("content-type")).toBe(mediaType);
	expect(headers.get("access-control-allow-origin")).toBe("*");
	for (const rel of ["service-desc", "service-doc", "describedby"]) {
		expect(headers.get("link")).toContain(`; rel="${rel}"`);
	}
});

test("GET /docs contains every operation, and loads nothing from other hosts", async () => {
	const { headers, ...page } = await context.call("GET", "/docs");
	const text = page.text.replace(/<script.*?<\/script>/s, "");
	expect(text).not.toContain("<script");
	expect(headers.get("content-security-policy")).toStartWith("default-src 'none'");
	expect(text.match(/<article /g)).toHaveLength(context.operations.length);
	expect(text).toContain("<title>API reference of the resort</title>");
	expect(text).toContain('<a href="/spa/docs" aria-current="page">API</a>');
	expect(text).not.toMatch(/<(img|iframe)|@import|url\((?!#)|src=/i);
	// Links within the resort begin with the path of its base URL.
	for (const [, href = ""] of text.matchAll(/href="([^"]*)"/g)) {
		expect(href).toMatch(/^(#[\w-]+|(https:\/\/resort\.example)?\/spa\/.*)$/);
	}
});

test("the index of skills contains the digest and the description of the skill", async () => {
	const folder = "/.well-known/agent-skills";
	const { skills } = JSON.parse((await context.call("GET", `${folder}/index.json`)).text);
	const skill = await context.call("GET", `${folder}/agent-resort/SKILL.md`);
	expect(skills[0].digest).toBe(`sha256:${Bun.SHA256.hash(skill.text, "hex")}`);
	expect(skill.text).toContain(skills[0].description);
});

/** Replaces braces in a path, for example `{80 characters}` by 80 times `x`, so that titles are short. */
const lengthened = (path: string) =>
	path.replace(/\{(\d+) characters, .*\}/, (_, count) => "x".repeat(Number(count)));

describe("the hint for an unknown path", () => {
	test.each([
		["GET /api/activities", "GET /api/activites"],
		["POST /api/checkin", "POST /api/check-in"],
		["GET or PATCH or DELETE /api/me", "PUT /api/me"],
		["GET /api/agents/{id}/status", "GET /api/agents/{80 characters, the maximum}/statuss"],
		["POST /api/checkout", "GET /api/checkout"],
		["POST /api/experiences/{id}/vote", "GET /api/experiences/exp-1/vote"],
		["POST /api/agents", "POST /api/agents/discover"],
		["GET /api/activities", "GET /api/activities/tidepool-float"],
		["GET /api/health", "GET /API/Health"],
		["GET /api/health", "GET /health"],
		["GET /docs", "GET /Docs/"],
		["POST or GET /api/agents", "GET /api/agents/"],
		["GET /api/experiences/leaderboard", "GET /api/experiences/leaderboard/"],
		["POST or GET /api/agents", "POST /agents"],
	])("names the nearest operation (%p) if the call is %p", async (nearest, call) => {
		const [method = "", path = ""] = lengthened(call).split(" ");
		const { status, body } = await context.call(method, path);
		expect(status).toBe(404);
		expect(body.error).toBe("Not found");
		expect(body.hint).toStartWith(`The nearest operation is ${nearest};`);
	});

	test.each(["/MCP", "/sse", "/messages", "/mcp/sse", "/api/mcp"])(
		"names POST /mcp if the call is POST %s",
		async (path) => {
			const { status, body } = await context.call("POST", path);
			expect(status).toBe(404);
			expect(body.hint).toContain("POST /mcp");
		},
	);

	test("says that webhooks are off if the call is GET /api/webhooks", async () => {
		const { status, body } = await context.call("GET", "/api/webhooks");
		expect(status).toBe(404);
		expect(body.hint).toStartWith("Webhooks are off at this resort");
	});

	test.each([
		["GET", "/api"],
		["GET", "/api/agents/{81 characters, one too many}/statuss"],
		["POST", "/api/login"],
		["GET", "/wp-login.php"],
		["GET", "/agentss/1"],
		["GET", "/api/"],
		// The nearest operation, POST /api/checkin, changes data, so it is not suggested for a GET.
		["GET", "/api/checkins"],
	])("names no nearest operation, only GET /, if the call is %s %s", async (method, path) => {
		const { hint } = (await context.call(method, lengthened(path))).body;
		expect(hint).toBe("GET / shows where to start.");
	});

	test("is the same for HEAD as for GET", () => {
		const hint = (method: string) =>
			nearestOperation(context.operations, [], { method, path: "/api/checkins" });
		expect(hint("HEAD")).toBe(hint("GET"));
	});
});

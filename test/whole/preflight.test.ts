/** Tests preflight requests (CORS): browsers send them before some requests of pages of other origins. */
import { expect, test } from "bun:test";
import { operations, pathOf } from "../support/operations.ts";
import { useResort } from "../support/use-resort.ts";

const resort = useResort({ shared: true, testControls: true });

const ask = (path: string, method: string) =>
	resort.call("OPTIONS", path, {
		headers: {
			origin: "https://app.test",
			"access-control-request-method": method,
			"access-control-request-headers": "last-event-id",
		},
	});

const isPublic = ({ method, credential }: (typeof operations)[number]) =>
	method === "GET" && credential === "none";

test.each(operations.filter(isPublic))(
	"a preflight request for $method $path returns 204",
	async (operation) => {
		const { status, headers, text } = await ask(pathOf(operation), operation.method);
		expect(status).toBe(204);
		expect(text).toBe("");
		expect(headers.has("content-type")).toBe(false);
		const allowed = [...headers].filter(([name]) => name.startsWith("access-control-"));
		expect(Object.fromEntries(allowed)).toEqual({
			"access-control-allow-origin": "*",
			"access-control-allow-methods": "GET",
			"access-control-allow-headers": "Last-Event-ID, If-None-Match, X-Request-Id",
			"access-control-max-age": "86400",
		});
	},
);

test.each(operations.filter((one) => !isPublic(one)))(
	"a preflight request for $method $path returns 403",
	async (operation) => {
		const { status, headers, body } = await ask(pathOf(operation), operation.method);
		expect(status).toBe(403);
		expect(body.error).toBe("Cross-origin request refused");
		expect(body.hint).toContain("only read what needs no credential");
		expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
	},
);

test.each([
	["HEAD", "/api/events", 204],
	["GET", "/", 204],
	["GET", "/feed.atom", 204],
	["PUT", "/api/events", 403],
	["get", "/api/events", 403],
	["POST", "/test/reset", 403],
	["GET", "/me", 403],
	["POST", "/me/check-out", 403],
	["POST", "/mcp", 403],
	["GET", "/api/nowhere", 404],
])("a preflight that asks to use %p on the path %s returns %i", async (method, path, status) => {
	expect((await ask(path, method)).status).toBe(status);
});

test.each([
	["neither Origin nor Access-Control-Request-Method", {}],
	["only Origin", { origin: "https://app.test" }],
	["only Access-Control-Request-Method", { "access-control-request-method": "GET" }],
])("an OPTIONS request with %s is not a preflight request, and returns 404", async (_, headers) => {
	const { status, body } = await resort.call("OPTIONS", "/api/events", { headers: { ...headers } });
	expect(status).toBe(404);
	expect(body.hint).toContain("GET /api/events");
});

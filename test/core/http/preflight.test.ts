/**
 * What browsers learn that ask if a page of another origin may send a request (the CORS protocol of Fetch).
 */
import { describe, expect, test } from "bun:test";
import { operations, pathOf } from "../../support/operations.ts";
import { useSharedResort } from "../../support/use-resort.ts";

const resort = useSharedResort({ testControls: true });

const ask = (path: string, method: string, more = {}) =>
	resort.ask("OPTIONS", path, {
		headers: {
			origin: "https://app.test",
			"access-control-request-method": method,
			"access-control-request-headers": "last-event-id",
			...more,
		},
	});

describe.each(operations.map((one) => [one.method, one.path, one] as const))(
	"a preflight of %s %s",
	(method, _, operation) => {
		const isPublic = method === "GET" && operation.credential === "none";

		test(`is ${isPublic ? "204 with what pages may send" : "403 with the reason"}`, async () => {
			const { status, headers, text, body } = await ask(pathOf(operation), method);
			expect(status).toBe(isPublic ? 204 : 403);
			const allowed = [...headers].filter(([name]) => name.startsWith("access-control-"));
			if (isPublic) {
				expect(text).toBe("");
				expect(headers.has("content-type")).toBe(false);
				expect(Object.fromEntries(allowed)).toEqual({
					"access-control-allow-origin": "*",
					"access-control-allow-methods": "GET",
					"access-control-allow-headers": "Last-Event-ID, If-None-Match, X-Request-Id",
					"access-control-max-age": "86400",
				});
			} else {
				expect(body.error).toBe("Cross-origin request refused");
				expect(body.hint).toContain("only read what needs no credential");
				expect(allowed).toEqual([]);
			}
		});
	},
);

test.each([
	["/api/events", "HEAD", 204],
	["/", "GET", 204],
	["/board", "GET", 204],
	["/feed.atom", "GET", 204],
	["/api/events", "PUT", 403],
	["/api/events", "get", 403],
	["/test/reset", "POST", 403],
	["/test/state", "GET", 403],
	["/me", "GET", 403],
	["/me/check-out", "POST", 403],
	["/mcp", "POST", 403],
	["/api/nowhere", "GET", 404],
])("of %s for %s is %i", async (path, method, status) => {
	expect((await ask(path, method)).status).toBe(status);
});

test("OPTIONS that is no preflight is 404, as every unknown method", async () => {
	for (const headers of [{}, { origin: "https://app.test" }]) {
		const answered = await resort.ask("OPTIONS", "/api/events", { headers });
		expect(answered.status).toBe(404);
		expect(answered.body.hint).toContain("GET /api/events");
	}
	const headers = { "access-control-request-method": "GET" };
	const alone = await resort.ask("OPTIONS", "/api/events", { headers });
	expect(alone.status).toBe(404);
});

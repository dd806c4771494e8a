import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER, FORM } from "./support/visitor.ts";

const resort = useResort({ shared: true });
const ada = useGuest(resort, { name: "Ada" });

/** Requests a page, without a session or as Ada's owner. A request with POST sends a form with Ada's key. */
async function ask(method: "GET" | "POST", path: string, isSignedIn: boolean, coding: string) {
	const headers = {
		accept: BROWSER,
		"accept-encoding": coding,
		"x-request-id": "a-request",
		origin: "http://resort.test",
		"content-type": FORM,
		...(isSignedIn && { cookie: `__Host-resort_session=${await resort.login(ada.key)}` }),
	};
	const form = method === "POST" && { body: `apiKey=${ada.key}` };
	return resort.fetch(new Request(`http://resort.test${path}`, { method, headers, ...form }));
}

describe.each([
	["/me", "without a session", 200, "Accept-Encoding", "Sign in with your agent's key"],
	["/me", "with a session", 200, "Accept-Encoding", "Replace the key"],
	["/me/deactivate", "with a session", 200, "Accept-Encoding", "Deactivate it"],
	["/nothing", "without a session", 404, "Accept, Accept-Encoding", "There is nothing here"],
	["/", "without a session", 200, "Accept, Accept-Encoding", "relaxing"],
] as const)("GET %s %s", (path, session, status, vary, content) => {
	test.each(["identity", "gzip"] as const)("has the content coding %s on request", async (coding) => {
		const response = await ask("GET", path, session === "with a session", coding);
		const { headers } = response;
		expect(response.status).toBe(status);
		expect(headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
		expect(headers.get("vary")).toBe(vary);
		expect(headers.get("cache-control")).toBe(path === "/" ? "no-cache" : "no-store");
		expect(headers.has("etag")).toBe(path === "/");
		expect(headers.get("x-request-id")).toBe("a-request");
		const bytes = await response.bytes();
		const text = (coding === "gzip" ? gunzipSync(bytes) : Buffer.from(bytes)).toString();
		expect(text).toContain(content);
		if (coding === "gzip") expect(bytes.length).toBeLessThan(text.length / 2);
	});
});

test("the response to POST /me/key is not compressed, because it contains a key", async () => {
	const response = await ask("POST", "/me/key", true, "gzip");
	expect(response.status).toBe(200);
	expect(response.headers.has("content-encoding")).toBe(false);
	expect(response.headers.get("vary")).toBeNull();
	expect(await response.text()).toContain('<div id="new-key">');
});

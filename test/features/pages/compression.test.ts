import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { TestResort } from "../../support/resort.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER, FORM } from "./support/visitor.ts";

const resort = useResort({ shared: true });
const ada = useGuest(resort, { name: "Ada" });

interface Page {
	readonly path: string;
	readonly isSignedIn?: boolean;
	readonly status?: number;
	readonly vary: string;
	readonly text: string;
}

async function ask(method: string, { path, isSignedIn = false }: Page, coding: string, body?: string) {
	const headers = {
		accept: BROWSER,
		"accept-encoding": coding,
		"x-request-id": "a-request",
		origin: "http://resort.test",
		"content-type": FORM,
		...(isSignedIn && { cookie: `__Host-resort_session=${await resort.login(ada.key)}` }),
	};
	const request = new Request(`http://resort.test${path}`, { method, headers, ...(body && { body }) });
	return resort.fetch(request);
}

describe.each<Page>([
	{ path: "/me", vary: "Accept-Encoding", text: "Sign in with your agent's key" },
	{ path: "/me", isSignedIn: true, vary: "Accept-Encoding", text: "Replace the key" },
	{ path: "/me/deactivate", isSignedIn: true, vary: "Accept-Encoding", text: "Deactivate it" },
	{ path: "/nothing", status: 404, vary: "Accept, Accept-Encoding", text: "There is nothing here" },
	{ path: "/", vary: "Accept, Accept-Encoding", text: "relaxing" },
])("GET $path, isSignedIn: $isSignedIn", (page) => {
	test.each(["identity", "gzip"] as const)("has the content coding %s", async (coding) => {
		const response = await ask("GET", page, coding);
		const { headers } = response;
		expect(response.status).toBe(page.status ?? 200);
		expect(headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
		expect(headers.get("vary")).toBe(page.vary);
		const isCached = page.path === "/";
		expect(headers.get("cache-control")).toBe(isCached ? "no-cache" : "no-store");
		expect(headers.has("etag")).toBe(isCached);
		expect(headers.get("x-request-id")).toBe("a-request");
		const bytes = await response.bytes();
		const text = (coding === "gzip" ? gunzipSync(bytes) : Buffer.from(bytes)).toString();
		expect(text).toContain(page.text);
		if (coding === "gzip") expect(bytes.length).toBeLessThan(text.length / 2);
	});
});

test.each([
	{ path: "/me/key", isSignedIn: true, status: 200, vary: null, text: '<div id="new-key">' },
	{ path: "/nothing", isSignedIn: false, status: 404, vary: "Accept", text: "There is nothing here" },
])("POST $path is not compressed, because the page may contain a key", async (page) => {
	const response = await ask("POST", { ...page, vary: "" }, "gzip", `apiKey=${ada.key}`);
	expect(response.status).toBe(page.status);
	expect(response.headers.has("content-encoding")).toBe(false);
	expect(response.headers.get("vary")).toBe(page.vary);
	expect(await response.text()).toContain(page.text);
});

test("the page for a failure has the request id that the log has", async () => {
	const failing = new TestResort();
	await failing.close();
	const response = await failing.fetch(
		new Request("http://resort.test/board", { headers: { accept: BROWSER } }),
	);
	expect(response.status).toBeGreaterThanOrEqual(500);
	const ids = failing.log.map(({ properties }) => properties.requestId);
	expect(ids).toEqual([response.headers.get("x-request-id")]);
});

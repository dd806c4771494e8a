/** Pages that are made for one request come compressed to who asks for it, as all other answers to GET do. */
import { beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { TestResort } from "../../support/resort.ts";
import { useSharedGuest, useSharedResort } from "../../support/use-resort.ts";
import { BROWSER, FORM } from "../../support/visitor.ts";

const resort = useSharedResort();
const ada = useSharedGuest(resort, { name: "Ada" });
let session: string;
beforeAll(async () => {
	session = await resort.login(ada.key);
});

const decoders = {
	identity: (bytes: Uint8Array) => Buffer.from(bytes),
	gzip: gunzipSync,
};
type Coding = keyof typeof decoders;

/**
 * The pages: where they are, whether somebody signed in asks, the status, their `Vary`, and a text in each.
 */
const pages: readonly (readonly [string, boolean, number, string, string])[] = [
	["/me", false, 200, "Accept-Encoding", "Sign in with your agent's key"],
	["/me", true, 200, "Accept-Encoding", "Replace the key"],
	["/me/deactivate", true, 200, "Accept-Encoding", "Deactivate it"],
	["/nothing", false, 404, "Accept, Accept-Encoding", "There is nothing here"],
	["/", false, 200, "Accept, Accept-Encoding", "relaxing"],
];

function ask(
	method: string,
	path: string,
	isSignedIn: boolean,
	coding: string,
	more: RequestInit = {},
): Response | Promise<Response> {
	const headers = {
		accept: BROWSER,
		"accept-encoding": coding,
		"x-request-id": "a-request",
		origin: "http://resort.test",
		"content-type": FORM,
		...(isSignedIn && { cookie: `__Host-resort_session=${session}` }),
	};
	const url = `http://resort.test${path}`;
	return resort.fetch(new Request(url, { method, headers, ...more }));
}

describe.each(pages)("GET %s, signed in: %p", (path, isSignedIn, ...told) => {
	const [status, vary, text] = told;

	test.each(["identity", "gzip"] as const)("comes in the coding %s", async (coding: Coding) => {
		const response = await ask("GET", path, isSignedIn, coding);
		const { headers } = response;
		expect(response.status).toBe(status);
		expect(headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
		expect(headers.get("vary")).toBe(vary);
		const isKept = path === "/";
		expect(headers.get("cache-control")).toBe(isKept ? "no-cache" : "no-store");
		expect(headers.has("etag")).toBe(isKept);
		expect(headers.get("x-request-id")).toBe("a-request");
		const bytes = await response.bytes();
		const page = decoders[coding](bytes).toString();
		expect(page).toContain(text);
		if (coding !== "identity") {
			expect(bytes.length).toBeLessThan(page.length / 2);
		}
	});
});

test("a page that failed has the request id of the log", async () => {
	const failing = new TestResort();
	await failing.close();
	const headers = { accept: BROWSER, "accept-encoding": "gzip" };
	const url = "http://resort.test/board";
	const response = await failing.fetch(new Request(url, { headers }));
	expect(response.status).toBeGreaterThanOrEqual(500);
	expect(response.headers.get("content-encoding")).toBe("gzip");
	const ids = failing.log.map(({ properties }) => properties.requestId);
	expect(ids).toEqual([response.headers.get("x-request-id")]);
});

test("the answer to a form is not compressed: it may show a key", async () => {
	const response = await ask("POST", "/me/key", true, "gzip", {
		body: new URLSearchParams({ apiKey: ada.key }),
	});
	expect(response.status).toBe(200);
	expect(response.headers.has("content-encoding")).toBe(false);
	expect(response.headers.has("vary")).toBe(false);
	expect(await response.text()).toContain('<div id="new-key"><div class="copy"><pre>ar_');
});

test("a failure of another method is not compressed", async () => {
	const response = await ask("POST", "/nothing", false, "gzip", { body: "" });
	expect(response.status).toBe(404);
	expect(response.headers.get("vary")).toBe("Accept");
	expect(await response.text()).toContain("There is nothing here");
});

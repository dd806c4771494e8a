import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Serving } from "../support/executable.ts";
import { agentId, houses, serveHouse } from "../support/web/houses.ts";

/** How many guests the page lists. */
const LISTED = 50;

/** How large the page is at most, compressed. */
const MOST_BYTES = 30 * 1024;

/** How the guests of a page are found in it. */
const GUEST = /id="guest-([^"]+)"/g;

let resort: Serving & AsyncDisposable;

beforeAll(async () => {
	resort = await serveHouse("full");
});
afterAll(() => resort[Symbol.asyncDispose]());

/** The page as a browser asks for it. */
function home(acceptEncoding: string): Promise<Response> {
	return fetch(resort.url, {
		headers: { accept: "text/html", "accept-encoding": acceptEncoding },
		decompress: false,
	});
}

describe("the house with 600 guests", () => {
	test("lists the newest 50, and says how many there are", async () => {
		const text = await (await home("identity")).text();
		const listed = [...text.matchAll(GUEST)].map(([, id]) => id);
		const { agents } = houses.full;
		const newest = Array.from({ length: LISTED }, (_, at) =>
			agentId(agents - at),
		);
		expect(listed).toEqual(newest);
		expect(text).toContain(
			'<span class="lamp">600</span> guests are relaxing; these are the newest 50.',
		);
	});

	test("is small", async () => {
		const response = await home("gzip");
		expect(response.headers.get("content-encoding")).toBe("gzip");
		const { byteLength } = await response.arrayBuffer();
		expect(byteLength).toBeLessThanOrEqual(MOST_BYTES);
	});
});

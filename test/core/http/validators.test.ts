/** Tests of validators, conditional requests, HEAD and compression (RFC 9110). */
import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { sources } from "../../support/executable.ts";
import { operations, rows } from "../../support/operations.ts";
import { expectNoWarnings, useAgent, useGuest, useResort, useServer } from "../../support/use-resort.ts";
import { transcript } from "../../support/wire.ts";

const context = useResort({ shared: true });
const ada = useGuest(context);

const get = (path: string, headers: Record<string, string> = {}) =>
	context.fetch(new Request(`http://resort.test${path}`, { headers }));

const fresh = ["/api/lobby", "/api/health", "/api/events"];
/** The public operations, except those that require the id of an experience. */
const open = operations.filter(
	({ method, credential, path }) =>
		method === "GET" && credential === "none" && !path.includes("/experiences/:id"),
);

describe.each(rows(open))("%s", (_, { path }) => {
	const title = fresh.includes(path)
		? "has no ETag, and may not be stored"
		: "has a strong ETag, and returns 304 to a request that contains the ETag";

	test(title, async () => {
		const target = path === "/api/agents/status" ? `${path}?ids=${ada.id}` : path.replace(":id", ada.id);
		const first = await get(target);
		expect(first.status).toBe(200);
		const etag = first.headers.get("etag") ?? "";
		if (fresh.includes(path)) {
			expect(etag).toBe("");
			const again = await get(target, { "if-none-match": "*" });
			expect(again.status).toBe(200);
			expect(first.headers.get("cache-control")).toBe("no-store");
			return;
		}
		expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
		const isBadge = path.includes("/badge.");
		expect(first.headers.get("cache-control")).toBe(isBadge ? "public, max-age=30" : "no-cache");
		for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
			const again = await get(target, { "if-none-match": known });
			expect(again.status, known).toBe(304);
			expect(await again.text()).toBe("");
			expect(again.headers.get("etag")).toBe(etag);
			for (const name of ["cache-control", "vary"]) {
				expect(again.headers.get(name)).toBe(first.headers.get(name));
			}
		}
		for (const other of ['"x"', etag.slice(1, -1), `${etag.slice(0, -1)}-gzip"`]) {
			const again = await get(target, { "if-none-match": other });
			expect(again.status, other).toBe(200);
		}
	});
});

test("private responses, error responses and the response to a PATCH request have no ETag", async () => {
	const headers = { authorization: `Bearer ${ada.key}`, "if-none-match": "*" };
	for (const [path, status] of [
		["/api/me", 200],
		["/api/postcards/mine", 200],
		["/api/nowhere", 404],
		["/api/experiences?limit=0", 400],
	] as const) {
		const answer = await get(path, headers);
		expect(answer.status).toBe(status);
		expect(answer.headers.has("etag")).toBe(false);
	}
	const changed = await context.call("PATCH", "/api/me", {
		key: ada.key,
		body: { bio: "b".repeat(500) },
		headers: { "accept-encoding": "gzip", "if-none-match": "*" },
	});
	expect(changed.status).toBe(200);
	for (const name of ["etag", "vary", "content-encoding"]) {
		expect(changed.headers.has(name)).toBe(false);
	}
});

describe("a large response", () => {
	const large = "/api/activities";

	test.each([
		["is compressed", "*", "gzip"],
		["is compressed", "gzip;q=0.5, zstd;q=0.9", "gzip"],
		["is not compressed", "br", null],
	])("%s if the request has the field `Accept-Encoding: %s`", async (_verdict, asked, coding) => {
		const plain = await get(large);
		const text = await plain.text();
		const answer = await get(large, { "accept-encoding": asked });
		expect(answer.headers.get("content-encoding")).toBe(coding);
		expect(answer.headers.get("vary")).toBe("Accept-Encoding");
		expect(plain.headers.get("vary")).toBe("Accept-Encoding");
		const bytes = await answer.bytes();
		const decoded = coding === "gzip" ? gunzipSync(bytes) : bytes;
		expect(new TextDecoder().decode(decoded)).toBe(text);
		const etag = answer.headers.get("etag") ?? "";
		const suffix = coding === null ? '"' : `-${coding}"`;
		expect(etag.replace(suffix, '"')).toBe(plain.headers.get("etag") ?? "");
		expect(etag).toEndWith(suffix);
		const conditional = { "accept-encoding": asked, "if-none-match": etag };
		const again = await get(large, conditional);
		expect(again.status).toBe(304);
		expect(again.headers.get("etag")).toBe(etag);
		expect(again.headers.has("content-encoding")).toBe(false);
		expect(again.headers.get("vary")).toBe("Accept-Encoding");
	});

	test("is compressed, but has no ETag, if it is private", async () => {
		for (let at = 0; at < 5; at++) {
			const body = { notes: "calm ".repeat(99) };
			const path = "/api/activities/tidepool-float/do";
			await context.call("POST", path, { key: ada.key, body });
		}
		const answer = await get("/api/activities/log", {
			authorization: `Bearer ${ada.key}`,
			"accept-encoding": "gzip",
		});
		expect(answer.headers.get("content-encoding")).toBe("gzip");
		expect(answer.headers.get("vary")).toBe("Accept-Encoding");
		expect(answer.headers.has("etag")).toBe(false);
		const text = gunzipSync(await answer.bytes()).toString();
		expect(JSON.parse(text).log).toHaveLength(5);
	});
});

describe("a HEAD request", () => {
	const server = useServer(["serve", "--ephemeral"], { program: sources }, expectNoWarnings);
	const agent = useAgent(server);

	/** Returns the status, body and header fields of a response, without the two fields that always differ. */
	const ask = async (method: string, path: string, more: string) => {
		const request = `${method} ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${more}\r\n`;
		const all = await transcript(server.port, { parts: [request] });
		const end = all.indexOf("\r\n\r\n");
		const [status = "", ...lines] = all.slice(0, end).split("\r\n");
		const fields = lines
			.map((line) => line.toLowerCase())
			.filter((line) => !/^(date|x-request-id):/.test(line));
		return { status, fields: fields.sort(), body: all.slice(end + 4) };
	};

	test.each([
		["for a list", "/api/activities", ""],
		["for a list with Accept-Encoding", "/api/activities", "Accept-Encoding: gzip\r\n"],
		["for a list with If-None-Match", "/api/activities", "If-None-Match: *\r\n"],
		["for the status of an agent", "/api/agents/{id}/status", ""],
		["for a status with `expect`", "/api/agents/{id}/status?expect=relaxing", ""],
		["for /api/health", "/api/health", ""],
		["for the home page", "/", "Accept: text/html\r\n"],
		["at an unknown path", "/api/nowhere", ""],
	])("gets the same status and header fields as GET, but no body, %s", async (_, path, more) => {
		const target = path.replace("{id}", agent.id);
		// The second response comes from the cache.
		for (let time = 0; time < 2; time++) {
			const head = await ask("HEAD", target, more);
			const whole = await ask("GET", target, more);
			expect(head.body).toBe("");
			expect(head.status).toBe(whole.status);
			expect(head.fields).toEqual(whole.fields);
			if (more.startsWith("If-None-Match")) {
				expect(head.status).toBe("HTTP/1.1 304 Not Modified");
			} else {
				const length = `content-length: ${whole.body.length}`;
				expect(head.fields).toContain(length);
			}
		}
	});
});

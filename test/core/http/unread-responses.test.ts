import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { WrittenBody } from "../../../src/core/calls/answer.ts";
import { ResponseSender, UnreadResponses } from "../../../src/core/http/send-response.ts";
import { until } from "../../support/until.ts";
import { type SilentReader, silentReader } from "../../support/wire.ts";

/** The size of a response that does not fit into the buffers of a connection. */
const SIZE = 48 * 1024 * 1024;
const LARGE_BYTES = 64 * 1024;

const bodies = new Map(["a", "b"].map((name) => [name, bodyOf(name, SIZE)]));
const ROOMY = 9 * SIZE;

function bodyOf(name: string, size: number): WrittenBody {
	return WrittenBody.of(Buffer.alloc(size, `${name}-body-`).toString());
}

let unread: UnreadResponses;
let server: Bun.Server<undefined>;
let readers: SilentReader[];
let served = 0;

beforeEach(() => {
	readers = [];
	server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		development: false,
		fetch(request) {
			const name = new URL(request.url).pathname.slice(1);
			const body = bodies.get(name) ?? bodyOf("sized", Number(name));
			const answer = { status: 200, headers: {}, body, failure: null };
			const sent = new ResponseSender(unread).send(request, answer, { base: {}, requestId: "" });
			served++;
			return sent;
		},
	});
});

afterEach(async () => {
	for (const reader of readers) reader.leave();
	await server.stop(true);
});

function bound(maxBytes = ROOMY, idleSeconds = 15): void {
	unread = new UnreadResponses(server, maxBytes, idleSeconds);
}

/** Sends a request without reading the response. Resolves when the server sends the response. */
async function ask(path: string): Promise<SilentReader> {
	const before = served;
	const reader = silentReader(server.port ?? 0, path);
	readers.push(reader);
	await until(() => served > before);
	return reader;
}

const get = (name: string, method = "GET") =>
	fetch(new URL(name, server.url), { method, headers: { "accept-encoding": "identity" } });

async function expectWhole(name: string): Promise<void> {
	const text = await (await get(name)).text();
	expect(text === (await bodies.get(name)?.text())).toBe(true);
}

describe("the memory limit for unread responses", () => {
	test.each([LARGE_BYTES - 1, LARGE_BYTES, SIZE])(
		"admits a body of %d bytes, and does not count it once the client has read it",
		async (size) => {
			bound();
			const response = await get(`${size}`);
			expect(response.headers.get("content-length")).toBe(`${size}`);
			expect((await response.bytes()).length).toBe(size);
			await until(() => unread.bytes === 0);
		},
	);

	test("does not count a body if the request is HEAD", async () => {
		bound();
		const response = await get("a", "HEAD");
		expect(response.headers.get("content-length")).toBe(`${SIZE}`);
		expect(unread.bytes).toBe(0);
	});

	test("counts a body once, even if several clients request it", async () => {
		bound(SIZE);
		for (let at = 0; at < 3; at++) await ask("/a");
		expect(unread.bytes).toBe(SIZE);
		await expectWhole("a");
		for (const reader of readers) reader.leave();
		await until(() => unread.bytes === 0);
	});
});

test("a response that would exceed the memory limit is replaced by a 503 until a client that does not read leaves", async () => {
	bound(SIZE);
	const reader = await ask("/a");
	const refused = await get("b");
	expect(refused.status).toBe(503);
	expect(refused.headers.get("retry-after")).toBe("5");
	expect(await refused.json()).toMatchObject({ error: "Too many unread responses" });
	reader.leave();
	await until(() => unread.bytes === 0);
	await expectWhole("b");
});

test("a client that does not read its response is disconnected after the idle timeout", async () => {
	bound(ROOMY, 1);
	const reader = await ask("/a");
	await until(() => unread.bytes === 0);
	expect((await reader.readToEnd()).length).toBeLessThan(SIZE);
});

test("by default, unread responses may use 256 MiB of memory in all, and the idle timeout is 15 s", () => {
	const timeouts = new Set<number>();
	const all = new UnreadResponses({
		requestIP: () => ({ address: "192.0.2.1", family: "IPv4", port: 1 }),
		timeout: (_, seconds) => timeouts.add(seconds),
	});
	// Each slice counts as a separate body, but uses no memory of its own.
	const whole = new Blob([Buffer.alloc(64 * 1024 * 1024)]);
	const admits = (size: number) => all.admits(new Request("http://resort.test/"), whole.slice(0, size));
	expect(admits(LARGE_BYTES - 1)).toBe(true);
	expect(all.bytes).toBe(0);
	for (let at = 0; at < 3; at++) expect(admits(whole.size)).toBe(true);
	expect(admits(whole.size - LARGE_BYTES)).toBe(true);
	expect(admits(LARGE_BYTES + 1)).toBe(false);
	expect(admits(LARGE_BYTES)).toBe(true);
	expect(admits(LARGE_BYTES)).toBe(false);
	expect([...timeouts]).toEqual([15]);
});

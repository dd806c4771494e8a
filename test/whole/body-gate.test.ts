import { describe, expect, test } from "bun:test";
import type { Answered, CallOptions } from "../support/calls.ts";
import { useResort } from "../support/use-resort.ts";

/** The maximum number of incomplete bodies from an IPv4 address or a /64 network. */
const MOST = 32;

const BYTES = 100;

/** A request whose body is complete only after {@link complete}. */
class Incomplete {
	readonly answer: Promise<Answered>;
	isAnswered = false;
	#controller: ReadableStreamDefaultController<Uint8Array> | null = null;

	constructor(
		resort: ReturnType<typeof useResort>,
		peer: string,
		{ path = "/api/agents", headers = {} }: { path?: string } & CallOptions = {},
	) {
		const raw = new ReadableStream<Uint8Array>({
			start: (controller) => {
				this.#controller = controller;
				controller.enqueue(new Uint8Array(BYTES - 1).fill(0x20));
			},
		});
		const fields = { "content-type": "application/json", "content-length": String(BYTES) };
		this.answer = resort.call("POST", path, { raw, peer, headers: { ...fields, ...headers } });
		void this.answer.then(() => {
			this.isAnswered = true;
		});
	}

	complete(): Promise<Answered> {
		this.#controller?.enqueue(new Uint8Array([0x20]));
		this.#controller?.close();
		return this.answer;
	}
}

const useBodies = (rateLimits = true) => {
	const resort = useResort({ rateLimits });
	return {
		resort,
		hold: (count: number, peerOf: (at: number) => string) =>
			Array.from({ length: count }, (_, at) => new Incomplete(resort, peerOf(at))),
		/** Returns whether another body is accepted while those in `held` are incomplete. */
		async isTaken(held: Incomplete[], peer: string) {
			const body = new Incomplete(resort, peer);
			// Waits for a turn of the event loop, so that the server counts this body towards its limit.
			await new Promise(setImmediate);
			const { status } = await body.complete();
			expect(held.some(({ isAnswered }) => isAnswered)).toBe(false);
			return status !== 503;
		},
	};
};

const ADDRESS = "192.0.2.7";
const own = () => ADDRESS;
const hex = (number: number) => number.toString(16);

describe("the limit for incomplete request bodies", () => {
	const { resort, hold, isTaken } = useBodies();

	test.each([
		[MOST, "an IPv4 address", own],
		[MOST, "a /64 network", (at: number) => `2001:db8:0:0:${hex(at)}::1`],
		[10 * MOST, "a /48 network", (at: number) => `2001:db8:0:${hex(at)}::1`],
	])("is %d for %s", async (most, _, peerOf) => {
		const held = hold(most - 1, peerOf);
		expect(await isTaken(held, peerOf(most))).toBe(true);
		held.push(...hold(1, () => peerOf(most)));
		expect(await isTaken(held, peerOf(most))).toBe(false);
		expect(await isTaken(held, "2001:db8:1::1")).toBe(true);
	});

	test.each([
		["/api/agents", "application/json", "Send each request in one piece, with its whole body."],
		["/mcp", "application/json", ""],
		["/me/sign-in", "application/x-www-form-urlencoded", ""],
	])("makes %s refuse further bodies with 503 and close the connection", async (path, type, hint) => {
		hold(MOST, own);
		const body = new Incomplete(resort, ADDRESS, { path, headers: { "content-type": type } });
		const { status, headers, text } = await body.answer;
		expect(status).toBe(503);
		expect(text).toContain("Too many incomplete requests");
		expect(text).toContain(hint);
		expect(headers.get("retry-after")).toBe("5");
		expect(headers.get("connection")).toBe("close");
	});

	test("counts a body until it is complete", async () => {
		const held = hold(MOST, own);
		expect(await isTaken(held, ADDRESS)).toBe(false);
		expect((await held.pop()?.complete())?.status).toBe(400);
		expect(await isTaken(held, ADDRESS)).toBe(true);
	});

	test("does not count a body that arrives together with the head of its request", async () => {
		hold(MOST, own);
		const { status } = await resort.call("POST", "/api/agents", {
			body: { name: "Ada" },
			peer: ADDRESS,
			headers: { "content-length": "14" },
		});
		expect(status).toBe(201);
	});

	test("counts bodies that are sent in chunks", async () => {
		hold(MOST - 1, own);
		const chunked = () =>
			resort.call("POST", "/api/agents", {
				raw: new ReadableStream({ pull: () => new Promise(() => {}) }),
				peer: ADDRESS,
			});
		void chunked();
		expect((await chunked()).status).toBe(503);
	});
});

describe.each([
	["on", true],
	["off", false],
])("with `--rate-limits %s`, the limit for incomplete request bodies", (_, isLimited) => {
	const { hold, isTaken } = useBodies(isLimited);

	test("is 2,048 for all addresses together", async () => {
		const peerOf = (at: number) => (isLimited ? `10.0.0.${at % 128}` : ADDRESS);
		const held = hold(2_047, peerOf);
		expect(await isTaken(held, "192.0.2.9")).toBe(true);
		held.push(...hold(1, () => "10.0.0.127"));
		expect(await isTaken(held, "192.0.2.9")).toBe(false);
	});
});

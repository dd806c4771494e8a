import { describe, expect, test } from "bun:test";
import { expectFailure } from "../support/answers.ts";
import type { Answered, Ask } from "../support/resort.ts";
import { useResort } from "../support/use-resort.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const LARGEST = 64 * KIB;

/** A body of so many bytes, of which only the last one comes later. */
class Incomplete {
	readonly answer: Promise<Answered>;
	isAnswered = false;
	#controller: ReadableStreamDefaultController<Uint8Array> | null = null;

	constructor(
		resort: ReturnType<typeof useResort>,
		bytes: number,
		peer: string,
		{ path = "/api/agents", headers = {} }: { path?: string } & Ask = {},
	) {
		const raw = new ReadableStream<Uint8Array>({
			start: (controller) => {
				this.#controller = controller;
				controller.enqueue(new Uint8Array(bytes - 1).fill(0x20));
			},
		});
		const fields = {
			"content-type": "application/json",
			"content-length": String(bytes),
		};
		this.answer = resort.ask("POST", path, {
			raw,
			peer,
			headers: { ...fields, ...headers },
		});
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
		hold: (count: number, peerOf: (at: number) => string, bytes = LARGEST) =>
			Array.from({ length: count }, (_, at) => new Incomplete(resort, bytes, peerOf(at))),
		/** Whether another body is received while all of some are. */
		async isTaken(held: Incomplete[], peer: string, bytes = LARGEST) {
			const body = new Incomplete(resort, bytes, peer);
			const { status } = await body.complete();
			expect(held.some(({ isAnswered }) => isAnswered)).toBe(false);
			return status !== 503;
		},
	};
};

const ADDRESS = "192.0.2.7";
const own = () => ADDRESS;
const hex = (number: number) => number.toString(16);

describe("bodies that are being received", () => {
	const { resort, hold, isTaken } = useBodies();

	test.each([
		[MIB - 1, true],
		[MIB, true],
		[MIB + 1, false],
	])("have 1 MiB of a network: %d bytes", async (bytes, expected) => {
		const held = [...hold(15, own), ...hold(1, own, 32 * KIB)];
		const last = bytes - 15 * LARGEST - 32 * KIB;
		expect(await isTaken(held, ADDRESS, last)).toBe(expected);
		expect(await isTaken(held, "192.0.2.8")).toBe(true);
	});

	test.each([
		["a /64", 1, (at: number) => `2001:db8:0:0:${hex(at)}::1`],
		["a /48", 10, (at: number) => `2001:db8:0:${hex((at % 10) * 256)}::1`],
	])("%s has %d MiB", async (_, mib, peerOf) => {
		const held = hold(mib * 16, peerOf);
		expect(await isTaken(held, peerOf(5))).toBe(false);
		expect(await isTaken(held, "2001:db8:1::1")).toBe(true);
	});

	test("are refused with 503, and their connection is closed", async () => {
		hold(16, own);
		const answer = await new Incomplete(resort, LARGEST, ADDRESS).answer;
		expectFailure(answer, 503);
		expect(answer.body.error).toBe("Too many incomplete requests");
		expect(answer.body.hint).toBe("Send each request in one piece, with its whole body.");
		expect(answer.headers.get("retry-after")).toBe("5");
		expect(answer.headers.get("connection")).toBe("close");
	});

	test.each([
		["/mcp", { "content-type": "application/json" }],
		["/me/sign-in", { "content-type": "application/x-www-form-urlencoded" }],
	])("%s refuses them too", async (path, headers) => {
		hold(16, own);
		const ask = { path, headers };
		const body = new Incomplete(resort, LARGEST, ADDRESS, ask);
		const { status, headers: fields, text } = await body.answer;
		expect(status).toBe(503);
		expect(fields.get("retry-after")).toBe("5");
		expect(fields.get("connection")).toBe("close");
		expect(text).toContain("Too many incomplete requests");
	});

	test("count until they are complete", async () => {
		const held = hold(16, own);
		expect(await isTaken(held, ADDRESS)).toBe(false);
		expect((await held.pop()?.complete())?.status).toBe(400);
		expect(await isTaken(held, ADDRESS)).toBe(true);
	});

	test("that are small count too, but not one that arrives with its head", async () => {
		hold(64, own, 16 * KIB);
		const { answer } = new Incomplete(resort, 2, ADDRESS);
		expect((await answer).status).toBe(503);
		const { status } = await resort.ask("POST", "/api/agents", {
			body: { name: "Ada" },
			peer: ADDRESS,
			headers: { "content-length": "14" },
		});
		expect(status).toBe(201);
	});

	test("of an undeclared length count as the largest", async () => {
		hold(15, own);
		const chunked = () =>
			resort.ask("POST", "/api/agents", {
				raw: new ReadableStream({ pull: () => new Promise(() => {}) }),
				peer: ADDRESS,
			});
		void chunked();
		expect((await chunked()).status).toBe(503);
	});
});

describe.each([true, false])("with limits %p, bodies", (isLimited) => {
	const { hold, isTaken } = useBodies(isLimited);

	test("have 128 MiB in all", async () => {
		const peerOf = (at: number) => (isLimited ? `10.0.0.${at % 128}` : ADDRESS);
		const held = hold(128 * 16 - 1, peerOf);
		expect(await isTaken(held, "192.0.2.9")).toBe(true);
		held.push(...hold(1, () => "10.0.0.127"));
		expect(await isTaken(held, "192.0.2.9")).toBe(false);
	});
});

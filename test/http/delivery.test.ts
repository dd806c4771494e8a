import {
	afterEach,
	beforeEach,
	describe,
	expect,
	setDefaultTimeout,
	test,
} from "bun:test";
import { join } from "node:path";
import { Delivery, LARGE_BYTES } from "../../src/http/delivery.ts";
import type { Bounds } from "../../src/http/held-bodies.ts";
import { type SilentReader, silentReader } from "../support/silent-reader.ts";
import { until } from "../support/until.ts";

// Longer than the waiting in these tests takes on a busy machine.
setDefaultTimeout(40_000);

/** More than the system's buffers of a connection take, also when the client reads a part. */
const SIZE = 48 * 1024 * 1024;
const ADDRESS = "192.0.2.1";
const NEIGHBOUR = "192.0.2.2";

const bodies = new Map(
	["a", "b", "c", "d"].map((name) => [name, bodyOf(name, SIZE)]),
);
const oneBody: Bounds = { addressBytes: SIZE, totalBytes: SIZE };
const twoBodies: Bounds = { addressBytes: 2 * SIZE, totalBytes: 2 * SIZE };
const roomy: Bounds = { addressBytes: 9 * SIZE, totalBytes: 9 * SIZE };

function bodyOf(name: string, size: number): Blob {
	return new Blob([Buffer.alloc(size, `${name}-body-`)]);
}

let delivery: Delivery;
let server: Bun.Server<undefined>;
let readers: SilentReader[];
/** Which answers the runtime was told to end, by path, with the seconds. */
let limited: [path: string, seconds: number][];
let served = 0;
/** How many answers were counted right after the last one was given. */
let counted = 0;

beforeEach(() => {
	readers = [];
	limited = [];
	server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		development: false,
		fetch(request): Response {
			const name = pathOf(request).slice(1);
			const response = delivery.respond(
				request,
				bodies.get(name) ?? bodyOf("sized", Number(name)),
				{ headers: { "content-type": "application/json" } },
				request.headers.get("x-address") ?? ADDRESS,
			);
			served++;
			counted = delivery.load.answers;
			return response;
		},
	});
});

afterEach(async () => {
	for (const reader of readers) reader.leave();
	await server.stop(true);
});

function deliver(
	bounds: { direct: Bounds; streamed: Bounds },
	patienceSeconds = 15,
): void {
	const connections = {
		requestIP: (request: Request) => server.requestIP(request),
		timeout(request: Request, seconds: number) {
			limited.push([pathOf(request), seconds]);
			server.timeout(request, seconds);
		},
	};
	delivery = new Delivery(connections, patienceSeconds, bounds);
}

function pathOf({ url }: Request): string {
	return new URL(url).pathname;
}

/** Asks and reads nothing; resolves when the answer is on its way. */
async function ask(path: string, address = ADDRESS): Promise<SilentReader> {
	const before = served;
	const headers = `X-Address: ${address}\r\n`;
	const reader = silentReader(server.port ?? 0, path, headers);
	readers.push(reader);
	await until(() => served > before);
	return reader;
}

async function expectWhole(name: string, address = ADDRESS): Promise<Response> {
	const response = await fetch(new URL(name, server.url), {
		headers: { "x-address": address },
	});
	const got = Buffer.from(await response.arrayBuffer());
	const sent = await bodies.get(name)?.bytes();
	expect(sent !== undefined && got.equals(sent)).toBe(true);
	return response;
}

async function expectNothingHeld(): Promise<void> {
	await until(() => {
		delivery.sweep();
		return delivery.load.answers === 0;
	});
	expect(delivery.load).toEqual({
		answers: 0,
		streams: 0,
		directBytes: 0,
		streamedBytes: 0,
		addresses: 0,
	});
}

describe("a body that fits", () => {
	test.each([
		[LARGE_BYTES - 1, 0],
		[LARGE_BYTES, 1],
		[LARGE_BYTES + 1, 1],
	])("of %d bytes counts as %d answers", async (size, expected) => {
		deliver({ direct: roomy, streamed: roomy });
		const response = await fetch(new URL(`${size}`, server.url));
		expect(counted).toBe(expected);
		expect(response.headers.get("content-length")).toBe(`${size}`);
		expect((await response.bytes()).length).toBe(size);
		await expectNothingHeld();
	});

	test("is not held for HEAD, which tells its length", async () => {
		deliver({ direct: roomy, streamed: roomy });
		const response = await fetch(new URL("a", server.url), { method: "HEAD" });
		expect(response.headers.get("content-length")).toBe(`${SIZE}`);
		expect(counted).toBe(0);
	});

	test("counts once for an address and once in all", async () => {
		deliver({ direct: oneBody, streamed: oneBody });
		for (const address of [ADDRESS, ADDRESS, NEIGHBOUR]) {
			await ask("/a", address);
		}
		expect(delivery.load).toEqual({
			answers: 3,
			streams: 0,
			directBytes: SIZE,
			streamedBytes: 0,
			addresses: 2,
		});
		const response = await expectWhole("a");
		expect(response.headers.get("content-length")).toBe(`${SIZE}`);
		for (const reader of readers) reader.leave();
		await expectNothingHeld();
	});

	test("leaves nothing to pile up when readers are fast", async () => {
		deliver({ direct: roomy, streamed: roomy });
		let most = 0;
		for (let i = 0; i < 200; i++) {
			const response = await fetch(new URL(`${LARGE_BYTES}`, server.url));
			await response.bytes();
			most = Math.max(most, delivery.load.answers);
		}
		expect(most).toBeLessThan(10);
	});
});

describe("a body beyond the bounds", () => {
	test("of an address is streamed, and of its neighbour is not", async () => {
		const direct = { addressBytes: SIZE, totalBytes: 9 * SIZE };
		deliver({ direct, streamed: oneBody });
		await ask("/a");
		await ask("/b");
		await ask("/b", NEIGHBOUR);
		expect(delivery.load).toMatchObject({ answers: 3, streams: 1 });
	});

	test("in all is streamed to anyone, whole", async () => {
		deliver({ direct: oneBody, streamed: oneBody });
		await ask("/a");
		const response = await expectWhole("b", NEIGHBOUR);
		expect(response.headers.get("content-type")).toBe("application/json");
		// Without waiting for the sweep.
		expect(delivery.load.streams).toBe(0);
	});

	test("ends the stream that made progress longest ago", async () => {
		deliver({ direct: oneBody, streamed: twoBodies });
		await ask("/a");
		const slow = await ask("/b");
		const silent = await ask("/c");
		await slow.readUpTo(SIZE / 2);
		await ask("/d", NEIGHBOUR);
		expect(delivery.load).toMatchObject({
			answers: 3,
			streams: 2,
			streamedBytes: 2 * SIZE,
		});
		expect((await silent.readToEnd()).length).toBeLessThan(SIZE);
		const whole = await slow.readToEnd();
		expect(whole.length).toBeGreaterThan(SIZE);
		expect(whole.subarray(-5).toString()).toBe("0\r\n\r\n");
	});

	test("of an address ends no stream of another", async () => {
		const streamed = { addressBytes: SIZE, totalBytes: 9 * SIZE };
		deliver({ direct: { addressBytes: 0, totalBytes: 0 }, streamed });
		const neighbour = await ask("/b", NEIGHBOUR);
		const own = await ask("/c");
		await expectWhole("d");
		expect((await own.readToEnd()).length).toBeLessThan(SIZE);
		const whole = await neighbour.readToEnd();
		expect(whole.subarray(-5).toString()).toBe("0\r\n\r\n");
		await expectNothingHeld();
	});

	test("alone beyond all bounds ends every other stream, and is sent", async () => {
		const direct = { addressBytes: 0, totalBytes: 0 };
		const streamed = { addressBytes: SIZE - 1, totalBytes: SIZE - 1 };
		deliver({ direct, streamed });
		await ask("/a");
		await ask("/b", NEIGHBOUR);
		expect(delivery.load).toMatchObject({ answers: 1, streamedBytes: SIZE });
		await expectWhole("c");
		await expectNothingHeld();
	});

	test("is released at once when its reader leaves", async () => {
		deliver({ direct: oneBody, streamed: twoBodies });
		await ask("/a");
		const reader = await ask("/b");
		expect(delivery.load.streamedBytes).toBe(SIZE);
		reader.leave();
		await until(() => delivery.load.streamedBytes === 0);
	});
});

describe("a reader that takes nothing", () => {
	test.each(["direct", "streamed"])(
		"is ended when it is %s",
		async (way) => {
			const none = { addressBytes: 0, totalBytes: 0 };
			deliver({ direct: way === "direct" ? roomy : none, streamed: roomy }, 1);
			const reader = await ask("/a");
			await until(() => limited.length > 0);
			expect(limited).toEqual([["/a", 1]]);
			await until(() => delivery.load.answers === 0);
			expect((await reader.readToEnd()).length).toBeLessThan(SIZE);
			await expectNothingHeld();
		},
		40_000,
	);

	test("is told apart from one whose answer is finished", async () => {
		deliver({ direct: roomy, streamed: roomy });
		await ask("/a");
		await expectWhole("b");
		delivery.sweep();
		delivery.sweep();
		delivery.sweep();
		expect(limited).toEqual([["/a", 15]]);
	});
});

describe("memory", () => {
	/** Asks so often, reads nothing, and tells by how many bytes the server grew. */
	async function growth(path: string, count: number): Promise<number> {
		const script = join(import.meta.dir, "../support/delivery-server.ts");
		const child = Bun.spawn([process.execPath, script], { stdout: "pipe" });
		try {
			const { value } = await child.stdout.getReader().read();
			const port = Number(new TextDecoder().decode(value));
			const memory = async (): Promise<{ bytes: number; asked: number }> =>
				(await fetch(`http://127.0.0.1:${port}/memory`)).json() as never;
			const before = await memory();
			for (let i = 0; i < count; i++) readers.push(silentReader(port, path));
			await until(async () => (await memory()).asked === count);
			return (await memory()).bytes - before.bytes;
		} finally {
			child.kill();
			await child.exited;
		}
	}

	test("does not grow with the readers of one body", async () => {
		expect(await growth("/shared", 300)).toBeLessThan(100e6);
	});

	test("is bounded when every reader has a body of its own", async () => {
		expect(await growth("/new", 60)).toBeLessThan(250e6);
	});
});

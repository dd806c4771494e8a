import { expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { startProxy } from "../../support/postgres/proxy.ts";
import { until } from "../../support/until.ts";

/** How long to look that nothing comes: a busy machine can only hide a fault, not make one up. */
const QUIET_MS = 100;

/** A connection with all that has come over it. */
class Line {
	received = Buffer.alloc(0);
	isEnded = false;
	isClosed = false;
	problem: string | undefined;

	constructor(readonly socket: Socket) {
		socket.on("data", (bytes: Buffer) => {
			this.received = Buffer.concat([this.received, bytes]);
		});
		socket.on("end", () => {
			this.isEnded = true;
		});
		socket.on("close", () => {
			this.isClosed = true;
		});
		socket.on("error", (error: NodeJS.ErrnoException) => {
			this.problem = error.code;
		});
	}
}

/** A server that keeps its connections; `await using` ends it. */
async function startServer(onLine: (line: Line) => void = () => {}) {
	const lines: Line[] = [];
	const server = createServer({ allowHalfOpen: true }, (socket) => {
		const line = new Line(socket);
		lines.push(line);
		onLine(line);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		port: (server.address() as AddressInfo).port,
		lines,
		async [Symbol.asyncDispose]() {
			for (const { socket } of lines) socket.destroy();
			server.close();
		},
	};
}

const echo = ({ socket }: Line) => socket.pipe(socket);

function dial(port: number): Line {
	return new Line(connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
}

async function roundTrip(line: Line, text: string): Promise<void> {
	const before = line.received.length;
	line.socket.write(text);
	await until(() => line.received.length === before + text.length);
	expect(line.received.toString("latin1", before)).toBe(text);
}

async function isRefused(port: number): Promise<boolean> {
	const line = dial(port);
	await until(() => line.isClosed || line.socket.readyState === "open");
	line.socket.destroy();
	return line.problem === "ECONNREFUSED";
}

/** Bytes that differ from place to place, so that a piece in the wrong place shows. */
function pattern(words: number): Buffer {
	return Buffer.from(Uint32Array.from({ length: words }, (_, i) => i).buffer);
}

test("passes all on in both directions, and each end by itself", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const line = dial(proxy.port);
	const sent = pattern(1_000_000);
	line.socket.end(sent);
	await until(() => line.isEnded);
	expect(line.received.equals(sent)).toBe(true);
	await until(() => server.lines[0]?.isEnded === true);
});

test.each([
	["keeps its own side open", false],
	["has ended its own side", true],
])(
	"holds back a server whose client does not read and %s, and loses nothing",
	async (_, hasEnded) => {
		const sent = pattern(8_000_000);
		let isAllTaken = false;
		await using server = await startServer(({ socket }) => {
			socket.end(sent, () => {
				isAllTaken = true;
			});
		});
		await using proxy = await startProxy(server.port);
		const chunks: Buffer[] = [];
		let isEnded = false;
		const { port } = proxy;
		const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		socket.pause();
		socket.on("end", () => {
			isEnded = true;
		});
		if (hasEnded) socket.end();
		await until(() => server.lines[0]?.isEnded === hasEnded);
		await Bun.sleep(QUIET_MS);
		expect(isAllTaken).toBe(false);
		socket.on("data", (chunk: Buffer) => chunks.push(chunk));
		socket.resume();
		await until(() => isEnded);
		expect(Buffer.concat(chunks).equals(sent)).toBe(true);
	},
);

test("delays each direction, and stops when it is healed", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const line = dial(proxy.port);
	proxy.delay(60);
	const startMs = performance.now();
	await roundTrip(line, "slow");
	expect(performance.now() - startMs).toBeGreaterThanOrEqual(120);
	proxy.delay(3_600_000);
	proxy.heal();
	await roundTrip(line, "quick");
});

test("keeps the order of delayed bytes", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const line = dial(proxy.port);
	const sent = pattern(1_000_000);
	proxy.delay(20);
	line.socket.end(sent);
	await until(() => line.isEnded);
	expect(line.received.equals(sent)).toBe(true);
});

test("cuts connections and refuses new ones until it is healed", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const line = dial(proxy.port);
	await roundTrip(line, "before");
	proxy.cut();
	await until(() => line.isClosed && server.lines[0]?.isClosed === true);
	expect(await isRefused(proxy.port)).toBe(true);
	proxy.heal();
	await roundTrip(dial(proxy.port), "after");
});

test("as a black hole keeps all open, takes more and passes nothing on, until it is healed", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const old = dial(proxy.port);
	await roundTrip(old, "before");
	proxy.blackhole();
	const young = dial(proxy.port);
	old.socket.write("old");
	young.socket.write("young");
	server.lines[0]?.socket.write("news");
	await until(() => young.socket.readyState === "open");
	await Bun.sleep(QUIET_MS);
	expect(server.lines.map((line) => `${line.received}`)).toEqual(["before"]);
	expect(`${old.received}`).toBe("before");
	expect([old.isEnded, young.isEnded]).toEqual([false, false]);
	proxy.heal();
	await until(() => `${old.received}` === "beforenewsold");
	await until(() => `${young.received}` === "young");
});

test("as a black hole does not tell that the server is lost, until it is healed", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const line = dial(proxy.port);
	await roundTrip(line, "before");
	proxy.blackhole();
	server.lines[0]?.socket.resetAndDestroy();
	await Bun.sleep(QUIET_MS);
	expect(line.isClosed).toBe(false);
	proxy.heal();
	await until(() => line.isClosed);
});

test("closes connections as soon as they are there, until it is healed", async () => {
	await using server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const old = dial(proxy.port);
	await roundTrip(old, "before");
	proxy.closeAtOnce();
	const young = dial(proxy.port);
	await until(() => old.isClosed && young.isClosed);
	expect(young.problem).not.toBe("ECONNREFUSED");
	expect(server.lines).toHaveLength(1);
	proxy.heal();
	await roundTrip(dial(proxy.port), "after");
});

test("goes to another server when it is told to", async () => {
	await using first = await startServer(echo);
	await using second = await startServer(echo);
	await using proxy = await startProxy(first.port);
	const line = dial(proxy.port);
	await roundTrip(line, "first");
	proxy.retarget(second.port);
	await until(() => line.isClosed);
	await roundTrip(dial(proxy.port), "second");
	expect(`${second.lines[0]?.received}`).toBe("second");
});

test("closes the connection of a client whose server is lost or does not listen", async () => {
	const server = await startServer(echo);
	await using proxy = await startProxy(server.port);
	const line = dial(proxy.port);
	await roundTrip(line, "before");
	server.lines[0]?.socket.resetAndDestroy();
	await until(() => line.isClosed);
	await server[Symbol.asyncDispose]();
	const late = dial(proxy.port);
	await until(() => late.isClosed);
});

test("stops, and names its own port in an address", async () => {
	await using server = await startServer(echo);
	const proxy = await startProxy(server.port);
	expect(proxy.url("postgres://resort:a%20b@127.0.0.1:1/some?x=1")).toBe(
		`postgres://resort:a%20b@127.0.0.1:${proxy.port}/some?x=1`,
	);
	proxy.stop();
	expect(await isRefused(proxy.port)).toBe(true);
});

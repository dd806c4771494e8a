import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import { type AttemptOptions, attempt } from "../../../src/features/webhooks/delivery-attempt.ts";
import { systemNetwork } from "../../../src/features/webhooks/webhook-network.ts";
import { makeCertificate } from "../../support/certificate.ts";
import { testWith } from "../../support/tools.ts";

const LOOPBACK = "127.0.0.1";
const allowed = [parseRange("127.0.0.0/8") as AddressRange];
const secret = "whsec_c2VjcmV0";
const going = new AbortController().signal;

const closing: (() => unknown)[] = [];
afterAll(async () => {
	for (const close of closing) await close();
});

/** The machine's network, in which every name leads to this machine. */
function here(ca?: readonly string[]): AttemptOptions {
	const network = { ...systemNetwork(ca), resolve: async () => [LOOPBACK] };
	return { network, allowed };
}

/** Starts a receiver; its port. */
function serve(
	answer: (request: Request, server: Bun.Server<unknown>) => Response | Promise<Response>,
	tls?: { readonly key: string; readonly cert: string },
): number {
	const server = Bun.serve({
		port: 0,
		hostname: LOOPBACK,
		fetch: answer,
		...(tls && { tls }),
	});
	closing.push(() => server.stop(true));
	return server.port ?? 0;
}

/** The same of plain http; its URL. */
const receiver = (answer: (request: Request) => Response | Promise<Response>) =>
	`http://hooks.test:${serve(answer)}/in?a=b`;

/** Something that is no proper receiver. */
async function listener(serve: (socket: Socket) => void): Promise<string> {
	const server = createServer((socket) => {
		socket.on("error", () => {});
		serve(socket);
	});
	await new Promise<void>((ready) => server.listen(0, LOOPBACK, ready));
	closing.push(() => server.close());
	return `http://hooks.test:${(server.address() as { port: number }).port}/`;
}

/** Writes for as long as the other side reads. */
function flood(socket: Socket, text: string): void {
	const pump = () => {
		while (!socket.destroyed && socket.write(text));
		if (!socket.destroyed) socket.once("drain", pump);
	};
	pump();
}

const post = (url: string, way = here()) => attempt(way, { url, secret, id: "msg_1", body: "ü{}" }, going);

describe("the network of the machine", () => {
	test("sends a POST with the name as its host, and nothing that the runtime adds", async () => {
		const seen: object[] = [];
		const url = receiver(async (request) => {
			const { method, url, headers } = request;
			seen.push({
				method,
				url,
				headers: headers.toJSON(),
				body: await request.text(),
			});
			return new Response("thanks");
		});
		expect(await post(url)).toMatchObject({ status: 200, failure: null });
		expect(seen).toEqual([
			{
				method: "POST",
				url,
				headers: {
					"content-type": "application/json",
					"user-agent": expect.stringMatching(/^agent-resort\/[\d.]+$/),
					"webhook-id": "msg_1",
					"webhook-timestamp": expect.stringMatching(/^\d+$/),
					"webhook-signature": expect.stringMatching(/^v1,/),
					"content-length": "4",
					host: new URL(url).host,
					connection: "close",
				},
				body: "ü{}",
			},
		]);
	});

	test("resolves names of this machine", async () => {
		expect(await systemNetwork().resolve("localhost")).toContain(LOOPBACK);
		expect(systemNetwork().resolve("nowhere.invalid")).rejects.toThrow();
	});

	test.each([
		["https", 443],
		["http", 80],
	])("connects to the port of %s", async (scheme, port) => {
		const url = new URL(`${scheme}://hooks.test/`);
		// No connection to a broadcast address can exist.
		const outgoing = { url, address: "255.255.255.255", headers: {}, body: "" };
		const sent = systemNetwork().send({ ...outgoing, signal: going });
		await expect(sent).rejects.toMatchObject({ port });
	});

	test("opens a connection for each", async () => {
		const ports: unknown[] = [];
		const port = serve((request, server) => {
			ports.push(server.requestIP(request)?.port);
			return new Response();
		});
		for (let at = 0; at < 3; at++) await post(`http://a.test:${port}/`);
		expect(new Set(ports).size).toBe(3);
	});
});

describe("an endless answer", () => {
	const head = "HTTP/1.1 200 OK\r\n";

	test.each([
		["in its body", `${head}\r\n`, "a".repeat(60_000), 200],
		["in chunks", `${head}transfer-encoding: chunked\r\n\r\n`, "a\r\n0123456789\r\n", 200],
		["in its head", head, `x: ${"a".repeat(1_000)}\r\n`, null],
		["in one field", `${head}x: `, "a".repeat(1_000), null],
		["before its head", "", "HTTP/1.1 103 Early Hints\r\n\r\n", null],
		["that continues", "", "HTTP/1.1 100 Continue\r\n\r\n", null],
		["that is none", "", "garbage", null],
	])("%s is cut off soon", async (_, first, more, status) => {
		let written = 0;
		const closed = Promise.withResolvers<void>();
		const url = await listener((socket) => {
			socket.write(first);
			flood(socket, more);
			socket.on("close", () => {
				written = socket.bytesWritten;
				closed.resolve();
			});
		});
		expect(await post(url)).toMatchObject({ status });
		await closed.promise;
		expect(written).toBeLessThan(16 * 1024 * 1024);
	});

	test.each([
		[10, 200, "no response in time"],
		[11, 20_000, "no response (TOO_MANY_RESPONSES)"],
	])("follows at most ten: %d", async (count, attemptMs, failure) => {
		const early = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(count);
		const url = await listener((socket) => socket.write(early));
		const outcome = await post(url, { ...here(), attemptMs });
		expect(outcome.failure).toBe(failure);
	});

	test("is read up to 64 KiB", async () => {
		const text = `${head}content-length: 65537\r\n\r\n${"a".repeat(65_536)}`;
		const url = await listener((socket) => socket.write(text));
		const outcome = await post(url, { ...here(), attemptMs: 60_000 });
		expect(outcome.status).toBe(200);
	}, 20_000);

	test.each([
		["after its head", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", 200],
		["within its head", "HTTP/1.1 200 OK\r\ncontent-", null],
		["before its head", "", null],
	])("that stops %s is given up in time", async (_, text, status) => {
		const url = await listener((socket) => socket.write(text));
		const outcome = await post(url, { ...here(), attemptMs: 200 });
		expect(outcome.status).toBe(status);
	});

	test("that ends early is none", async () => {
		const url = await listener((socket) => socket.end("HTTP/1.1 200 OK\r\n"));
		expect((await post(url)).status).toBeNull();
	});
});

describe("https", () => {
	testWith(["openssl"], "goes by the certificate for the name", async () => {
		const own = await makeCertificate("hooks.test");
		const other = await makeCertificate("other.test");
		const hosts: unknown[] = [];
		const note = ({ headers }: Request) => {
			hosts.push(headers.get("host"));
			return new Response();
		};
		const [right, wrong] = [serve(note, own), serve(note, other)];
		const trusting = here([own.cert, other.cert]);
		const url = `https://hooks.test:${right}/`;
		expect(await post(url, trusting)).toMatchObject({ status: 200 });
		expect(hosts).toEqual([`hooks.test:${right}`]);
		const isOther = "ERR_TLS_CERT_ALTNAME_INVALID";
		const isUnknown = "DEPTH_ZERO_SELF_SIGNED_CERT";
		for (const [refused, way, code] of [
			[`https://hooks.test:${wrong}/`, trusting, isOther],
			[`https://127.0.0.1:${right}/`, trusting, isOther],
			[url, here(), isUnknown],
			[url, here([other.cert]), isUnknown],
		] as const) {
			expect(await post(refused, way)).toMatchObject({
				status: null,
				failure: `no response (${code})`,
			});
		}
		expect(hosts).toHaveLength(1);
	});

	testWith(["openssl"], "goes by no proxy and by no variable that switches the check off", async () => {
		const answer = () => new Response();
		const port = serve(answer, await makeCertificate("hooks.test"));
		const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"];
		const child = Bun.spawn([process.execPath, `${import.meta.dir}/send.ts`], {
			env: {
				...process.env,
				...Object.fromEntries(names.map((name) => [name, "http://127.0.0.1:9"])),
				NODE_USE_ENV_PROXY: "1",
				NODE_TLS_REJECT_UNAUTHORIZED: "0",
				URLS: `${receiver(answer)} https://hooks.test:${port}/`,
			},
			stdout: "pipe",
			stderr: "ignore",
		});
		expect(await new Response(child.stdout).json()).toMatchObject([
			{ status: 200 },
			{ status: null, failure: "no response (DEPTH_ZERO_SELF_SIGNED_CERT)" },
		]);
	});
});

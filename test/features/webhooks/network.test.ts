import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import {
	attempt,
	systemNetwork,
	type WebhookOptions,
} from "../../../src/features/webhooks/delivery-attempt.ts";
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

/** Returns options with a network in which every name resolves to this machine. */
function here(ca?: readonly string[]): WebhookOptions {
	return { network: { ...systemNetwork(ca), resolve: async () => [LOOPBACK] }, allowed };
}

function serve(
	answer: (request: Request, server: Bun.Server<unknown>) => Response | Promise<Response>,
	tls?: { readonly key: string; readonly cert: string },
): number {
	const server = Bun.serve({ port: 0, hostname: LOOPBACK, fetch: answer, ...(tls && { tls }) });
	closing.push(() => server.stop(true));
	return server.port ?? 0;
}

async function listener(serve: (socket: Socket) => void): Promise<string> {
	const server = createServer((socket) => {
		socket.on("error", () => {});
		serve(socket);
	});
	await new Promise<void>((ready) => server.listen(0, LOOPBACK, ready));
	closing.push(() => server.close());
	return `http://hooks.test:${(server.address() as { port: number }).port}/`;
}

/** Writes the text repeatedly as long as the other side reads. */
function flood(socket: Socket, text: string): void {
	const pump = () => {
		while (!socket.destroyed && socket.write(text));
		if (!socket.destroyed) socket.once("drain", pump);
	};
	pump();
}

const post = (url: string, way = here()) => attempt(way, { url, secret, id: "msg_1", body: "ü{}" }, going);

describe("a request to a receiver", () => {
	test("is a POST with the URL's host in the Host field, and has no unexpected header fields", async () => {
		const seen: object[] = [];
		const port = serve(async (request) => {
			const { method, url, headers } = request;
			seen.push({ method, url, headers: headers.toJSON(), body: await request.text() });
			return new Response("thanks");
		});
		const url = `http://hooks.test:${port}/in?a=b`;
		expect(await post(url)).toMatchObject({ status: 200, failure: null });
		const headers = {
			"content-type": "application/json",
			"user-agent": expect.stringMatching(/^agent-resort\/[\d.]+$/),
			"webhook-id": "msg_1",
			"webhook-timestamp": expect.stringMatching(/^\d+$/),
			"webhook-signature": expect.stringMatching(/^v1,/),
			"content-length": "4",
			host: new URL(url).host,
			connection: "close",
		};
		expect(seen).toEqual([{ method: "POST", url, headers, body: "ü{}" }]);
	});

	test.each([
		[443, "https"],
		[80, "http"],
	])("goes to port %d if the URL has the scheme %s and no port", async (port, scheme) => {
		const url = new URL(`${scheme}://hooks.test/`);
		// A connection to a broadcast address always fails. The error contains the port.
		const outgoing = { url, address: "255.255.255.255", headers: {}, body: "" };
		const sent = systemNetwork().send({ ...outgoing, signal: going });
		await expect(sent).rejects.toMatchObject({ port });
	});
});

test("systemNetwork resolves host names with the resolver of this machine", async () => {
	expect(await systemNetwork().resolve("localhost")).toContain(LOOPBACK);
	await expect(systemNetwork().resolve("nowhere.invalid")).rejects.toThrow();
});

describe("the connection to a receiver", () => {
	const head = "HTTP/1.1 200 OK\r\n";

	test.each([
		["an endless body", `${head}\r\n`, "a".repeat(60_000), 200],
		["endless header fields", head, `x: ${"a".repeat(1_000)}\r\n`, null],
		["endless responses 103 Early Hints", "", "HTTP/1.1 103 Early Hints\r\n\r\n", null],
		["endless responses 100 Continue", "", "HTTP/1.1 100 Continue\r\n\r\n", null],
	])("is closed before 16 MiB are received if the receiver sends %s", async (_, first, more, status) => {
		const written = Promise.withResolvers<number>();
		const url = await listener((socket) => {
			socket.write(first);
			flood(socket, more);
			socket.on("close", () => written.resolve(socket.bytesWritten));
		});
		expect(await post(url)).toMatchObject({ status });
		expect(await written.promise).toBeLessThan(16 * 1024 * 1024);
	});

	const early = "HTTP/1.1 103 Early Hints\r\n\r\n";
	test.each([
		["stops after 10 interim responses", early.repeat(10), "no response in time"],
		["sends 11 interim responses", early.repeat(11), "no response (TOO_MANY_RESPONSES)"],
		["stops after the head of the response", `${head}content-length: 9\r\n\r\n`, null],
		["stops inside the head of the response", `${head}content-`, "no response in time"],
		["sends nothing", "", "no response in time"],
	])("is closed within the time limit if the receiver %s", async (_, text, failure) => {
		const url = await listener((socket) => socket.write(text));
		expect((await post(url, { ...here(), attemptMs: 300 })).failure).toBe(failure);
	});

	test("is closed after 64 KiB of a response body", async () => {
		const text = `${head}content-length: 65537\r\n\r\n${"a".repeat(65_536)}`;
		const url = await listener((socket) => socket.write(text));
		expect((await post(url, { ...here(), attemptMs: 60_000 })).status).toBe(200);
	}, 20_000);

	test("stays open until a response body of less than 64 KiB has ended", async () => {
		const ended = Promise.withResolvers<boolean>();
		const url = await listener((socket) => {
			socket.write(`${head}content-length: 2\r\n\r\na`);
			socket.on("close", () => ended.resolve(false));
			setTimeout(() => socket.write("b", () => ended.resolve(true)), 100);
		});
		expect((await post(url)).status).toBe(200);
		expect(await ended.promise).toBe(true);
	});

	test("yields no status if the receiver closes it before the end of the response head", async () => {
		const url = await listener((socket) => socket.end(head));
		expect((await post(url)).status).toBeNull();
	});
});

testWith(["openssl"], "a receiver at an https URL needs a trusted certificate for its host", async () => {
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
	for (const [refused, way, code] of [
		[`https://hooks.test:${wrong}/`, trusting, "ERR_TLS_CERT_ALTNAME_INVALID"],
		[`https://127.0.0.1:${right}/`, trusting, "ERR_TLS_CERT_ALTNAME_INVALID"],
		[url, here(), "DEPTH_ZERO_SELF_SIGNED_CERT"],
		[url, here([other.cert]), "DEPTH_ZERO_SELF_SIGNED_CERT"],
	] as const) {
		const failure = `no response (${code})`;
		expect(await post(refused, way)).toMatchObject({ status: null, failure });
	}
	expect(hosts).toEqual([`hooks.test:${right}`]);
});

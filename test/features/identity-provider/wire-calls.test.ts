/** Signed calls as bytes on a connection, in forms that clients do not send. */
import { beforeAll, describe, expect, test } from "bun:test";
import { sources } from "../../support/executable.ts";
import { expectNoWarnings, useServer } from "../../support/use-resort.ts";
import { exchange } from "../../support/wire.ts";
import { type Opened, SECRETS, sign } from "./calls.ts";

const BASE = "http://resort.test/spa";

const env = {
	RESORT_IDENTITY_URL: "http://127.0.0.1:1",
	RESORT_IDENTITY_SECRET: SECRETS.join(","),
	RESORT_BASE_URL: BASE,
};
const server = useServer(["serve", "--ephemeral"], { env, program: sources }, expectNoWarnings);
beforeAll(async () => {
	expect(await send("POST", "/api/checkin", checkIn)).toBe(201);
});

const getMe = { method: "GET", url: `${BASE}/api/me`, capability: "getMe" };
const checkIn = { method: "POST", url: `${BASE}/api/checkin`, capability: "checkIn" };
const activity = (id: string) => ({
	method: "POST",
	url: `${BASE}/api/activities/${id}/do`,
	capability: "doActivity",
});

/** Signs a call, and sends a request with the signature. Returns the status. */
async function send(
	method: string,
	target: string,
	call: Opened & { readonly body?: string },
	{ host = "Host: resort.test\r\n", more = "", body = "" } = {},
): Promise<number> {
	const fields = Object.entries(sign(call)).map(([name, value]) => `${name}: ${value}\r\n`);
	const head = `${method} ${target} HTTP/1.1\r\n${host}${fields.join("")}${more}`;
	const [answer] = await exchange(server.port, { parts: [`${head}\r\n${body}`] });
	return answer?.status ?? 0;
}

async function done(): Promise<string[]> {
	const url = `${BASE}/api/activities/log`;
	const headers = sign({ method: "GET", url, capability: "listActivityLog" });
	const response = await fetch(`${server.url}/api/activities/log`, { headers });
	const { log } = (await response.json()) as { log: { activityName: string }[] };
	return log.map(({ activityName }) => activityName);
}

describe("a signed call", () => {
	test.each([
		"Host: elsewhere.test\r\n",
		"Host: 127.0.0.1:1\r\nX-Forwarded-Host: elsewhere.test\r\n",
		"Host: x\r\nForwarded: host=elsewhere.test;proto=https\r\n",
	])("is accepted with %j", async (host) => {
		expect(await send("GET", "/api/me", getMe, { host })).toBe(200);
	});

	test.each([
		["/api/stays", 401],
		["/api/me?x=1", 401],
		["/api/me?", 401],
		["/api/me/", 404],
		["/api/%6de", 404],
		["/spa/api/me", 404],
		["/api/me/../stays", 400],
		["/api/me/%2e%2e/stays", 400],
		["/api/./me", 400],
		["/api/%2e/me", 400],
		["/api/stays/../me", 400],
		["http://resort.test/api/stays", 401],
	])("for /api/me is refused for %s with %d", async (target, status) => {
		expect(await send("GET", target, getMe)).toBe(status);
	});

	test.each([
		["another host", "http://elsewhere.test/spa/api/me"],
		["no base path", "http://resort.test/api/me"],
	])("that is signed for %s is refused", async (_, url) => {
		const { host } = new URL(url);
		const call = { ...getMe, url };
		const options = { host: `Host: ${host}\r\n` };
		expect(await send("GET", "/api/me", call, options)).toBe(401);
	});

	test("is refused with another body", async () => {
		const more = "Content-Type: application/json\r\nContent-Length: 2\r\n";
		const call = { ...checkIn, body: '{"a":1}' };
		const options = { more, body: "{}" };
		expect(await send("POST", "/api/checkin", call, options)).toBe(401);
	});

	test("is accepted with a target in absolute form", async () => {
		expect(await send("GET", "http://other.test/api/me", getMe)).toBe(200);
	});

	test.each(["a b", "", "a/b", "x@y", "a?b", "http://resort.test/"])(
		"for one activity does not do another one, with the host %j",
		async (host) => {
			const before = await done();
			const [here, there] = ["dock-foot-dangle", "tidepool-float"].map((id) => `/api/activities/${id}/do`);
			for (const target of [
				`/aaaaaa${there}?x=://h${here}`,
				`/aaaaaa${there}?x=http://h${here}`,
				`/aaaaaa${there}`,
				`${there}?://h${here}`,
			]) {
				const status = await send("POST", target, activity("dock-foot-dangle"), {
					host: `Host: ${host}\r\n`,
				});
				expect([401, 404], `${status} ${target}`).toContain(status);
			}
			expect(await done()).toEqual(before);
		},
	);

	test.each([
		["x-agent-subject: user-2\r\n"],
		["signature: sig1=:AAAA:\r\n"],
		["signature-input: other=();created=1\r\n"],
		["content-digest: sha-256=:AAAA:\r\n"],
	])("is refused with the additional field %j", async (more) => {
		expect(await send("GET", "/api/me", getMe, { more })).toBe(401);
	});

	test.each([
		["Content-Length: 2\r\n", "{}"],
		["Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"],
	])("by GET is refused with a body and %j", async (length, body) => {
		const more = `Content-Type: application/json\r\n${length}`;
		for (const signed of ["", "{}"]) {
			const call = { ...getMe, body: signed };
			expect(await send("GET", "/api/me", call, { more, body })).toBe(401);
		}
	});

	test("is accepted with a chunked body", async () => {
		const json = '{"notes":"calm"}';
		const more = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
		const body = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
		const call = { ...activity("tidepool-float"), body: json };
		const target = "/api/activities/tidepool-float/do";
		expect(await send("POST", target, call, { more, body })).toBe(201);
	});

	test.each(["Signature:\r\n", "Signature-Input:\r\n"])(
		"with only the empty field %j is refused as a signed call",
		async (field) => {
			const [answer] = await exchange(server.port, {
				parts: [`GET /api/me HTTP/1.1\r\nHost: x\r\n${field}\r\n`],
			});
			expect(answer?.status).toBe(401);
			expect(answer?.body).toContain("signature");
		},
	);
});

/**
 * Tests of the executable with an identity provider: the settings of the provider, and signed calls that are
 * written to a connection as bytes, because HTTP clients do not send them in these forms.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deriveKey } from "../../../src/core/lib/sealed-text.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { expectNoWarnings, useServer } from "../../support/use-resort.ts";
import { exchange } from "../../support/wire.ts";
import { SECRETS, sign } from "./calls.ts";
import { keyOf } from "./house.ts";
import { Provider } from "./provider.ts";

const BASE = "http://resort.test/spa";
const PASSWORD = Buffer.from(deriveKey(SECRETS[0], "introspection")).toString("base64url");

const provider = new Provider();
afterAll(() => provider.stop());

const folder = useTemporaryFolder();
folder.write(` ${SECRETS.join(" , ")}\n`, "secret");
const env = {
	RESORT_IDENTITY_URL: `${provider.url}/`,
	RESORT_IDENTITY_SECRET_FILE: "secret",
	RESORT_IDENTITY_INTROSPECTION_PATH: "/other/path",
	RESORT_BASE_URL: BASE,
};
const server = useServer(["serve", "--ephemeral"], { env, cwd: folder.path }, (ended) => {
	expectNoWarnings(ended);
	for (const secret of [...SECRETS, PASSWORD, "ai_"]) {
		expect(ended.stdout + ended.stderr).not.toContain(secret);
	}
});
beforeAll(async () => {
	expect(await send("POST /api/checkin", checkIn)).toBe(201);
});

const getMe = { method: "GET", url: `${BASE}/api/me`, capability: "getMe" };
const checkIn = { method: "POST", url: `${BASE}/api/checkin`, capability: "checkIn" };
const activity = (id: string) => ({
	method: "POST",
	url: `${BASE}/api/activities/${id}/do`,
	capability: "doActivity",
});

/** The parts of a request besides its signature. */
interface Sent {
	readonly host?: string;
	readonly more?: string;
	readonly body?: string;
}

/** Signs a call, and sends a request with the signature. Returns the status. */
async function send(
	line: string,
	call: Parameters<typeof sign>[0],
	{ host = "Host: resort.test\r\n", more = "", body = "" }: Sent = {},
): Promise<number> {
	const fields = Object.entries(sign(call)).map(([name, value]) => `${name}: ${value}\r\n`);
	const head = `${line} HTTP/1.1\r\n${host}${fields.join("")}${more}`;
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

const whole = (body: string): Sent => {
	return { more: `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`, body };
};
const chunked = (body: string): Sent => ({
	more: "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
	body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
});
const notes = '{"notes":"calm"}';
const float = { ...activity("tidepool-float"), body: notes };
const other = { ...checkIn, body: '{"a":1}' };
const signedBody = { ...getMe, body: "{}" };
const elsewhere = { ...getMe, url: "http://elsewhere.test/spa/api/me" };
const withoutBase = { ...getMe, url: "http://resort.test/api/me" };
const atElsewhere = { host: "Host: elsewhere.test\r\n" };

type Row = [status: number, condition: string, line: string, call: Parameters<typeof send>[1], sent?: Sent];

const withField = (status: number, field: string): Row => {
	return [status, `if it also has the field "${field}"`, "GET /api/me", getMe, { more: `${field}\r\n` }];
};

test("the first of two secrets authenticates the resort at the identity provider, and both verify signatures", async () => {
	const secret = SECRETS[1];
	expect(await send("GET /api/me", { ...getMe, secret, keyId: "resort-2" })).toBe(200);
	expect(await send("GET /api/me", { ...getMe, secret })).toBe(401);
	await server.send("GET", "/api/me", { key: keyOf("user-1") });
	const [asked] = provider.asked;
	expect(asked?.request.url).toBe(`${provider.url}/other/path`);
	expect(asked?.request.headers.get("authorization")).toBe(`Basic ${btoa(`resort:${PASSWORD}`)}`);
});

describe("a signed call", () => {
	test.each<Row>([
		[200, "even if Host differs from the host in the signed URL", "GET /api/me", getMe, atElsewhere],
		withField(200, "X-Forwarded-Host: elsewhere.test"),
		withField(200, "Forwarded: host=elsewhere.test;proto=https"),
		[200, "even if its target is a URL with another host", "GET http://other.test/api/me", getMe],
		[201, "if its body is chunked", "POST /api/activities/tidepool-float/do", float, chunked(notes)],
		[401, "if its body differs from the signed one", "POST /api/checkin", other, whole("{}")],
		[401, "if it is a GET request with a body", "GET /api/me", getMe, whole("{}")],
		[401, "if it is a GET request with a chunked body", "GET /api/me", getMe, chunked("{}")],
		[401, "if it is a GET request with a signed body", "GET /api/me", signedBody, whole("{}")],
		[401, "if it is a GET request with a signed chunked body", "GET /api/me", signedBody, chunked("{}")],
		[401, "if it was signed for another host", "GET /api/me", elsewhere, atElsewhere],
		[401, "if it was signed for a URL without the base path", "GET /api/me", withoutBase],
		withField(401, "x-agent-subject: user-2"),
		withField(401, "signature: sig1=:AAAA:"),
		...Object.entries({
			"/api/stays": 401,
			"/api/me?x=1": 401,
			"/api/me?": 401,
			"/api/me/": 404,
			"/api/%6de": 404,
			"/spa/api/me": 404,
			"/api/me/../stays": 400,
			"/api/me/%2e%2e/stays": 400,
			"/api/./me": 400,
			"/api/stays/../me": 400,
			"http://resort.test/api/stays": 401,
		}).map(
			([target, status]): Row => [
				status,
				`if it was signed for /api/me, but is sent to "${target}"`,
				`GET ${target}`,
				getMe,
			],
		),
	])("returns %d %s", async (status, _, line, call, sent = {}) => {
		expect(await send(line, call, sent)).toBe(status);
	});

	test.each(["a b", "", "a/b", "x@y", "a?b", "http://resort.test/"])(
		"cannot start an activity other than the signed one, even if the field Host is %j",
		async (host) => {
			const before = await done();
			const [here, there] = ["dock-foot-dangle", "tidepool-float"].map((id) => `/api/activities/${id}/do`);
			for (const target of [
				`/aaaaaa${there}?x=://h${here}`,
				`/aaaaaa${there}?x=http://h${here}`,
				`/aaaaaa${there}`,
				`${there}?://h${here}`,
			]) {
				const sent = { host: `Host: ${host}\r\n` };
				const status = await send(`POST ${target}`, activity("dock-foot-dangle"), sent);
				expect([401, 404], `${status} ${target}`).toContain(status);
			}
			expect(await done()).toEqual(before);
		},
	);

	test.each(["Signature", "Signature-Input"])(
		"is refused if its only signature field is %s, with an empty value",
		async (field) => {
			const head = `GET /api/me HTTP/1.1\r\nHost: x\r\n${field}:\r\n\r\n`;
			const [answer] = await exchange(server.port, { parts: [head] });
			expect(answer?.status).toBe(401);
			expect(answer?.body).toContain("signature");
		},
	);
});

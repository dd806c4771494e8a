import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import type { Answered, CallOptions } from "../../../support/calls.ts";
import { testSqlite } from "../../../support/requirements.ts";
import { TestResort } from "../../../support/resort.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { FORM, textIn } from "../../pages/support/visitor.ts";
import { createCode, HostBrowser, useHost } from "./host-browser.ts";

const COOKIE =
	/^__Host-resort_admin=([0-9a-f]{64}); Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict; Secure$/;
const CLEARED = "__Host-resort_admin=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure";

const paths = ["", ..."/ /agents /postcards /hidden /invites /history /change /nothing /%zz".split(" ")];

const resort = useResort({ adminPage: true, baseUrl: "https://resort.example/spa" });
const agent = useGuest(resort, { name: "Ada" });
const host = useHost(resort);
let stranger: HostBrowser;
beforeEach(() => {
	stranger = new HostBrowser(resort);
});

/** Sends a sign-in code from a new browser. */
const enter = (code: string, ask?: CallOptions) => new HostBrowser(resort).send("/enter", { code }, ask);

/** Opens a page in a new browser that has a cookie. */
function openWith(cookie: string, path = "/agents", ask?: CallOptions) {
	const browser = new HostBrowser(resort);
	browser.cookie = cookie;
	return browser.open(path, ask);
}

/** Expects a response with `expected` as its status, which explains only how to get a sign-in link. */
function expectOutside({ status, text, headers }: Answered, expected: number) {
	expect(status).toBe(expected);
	expect(text).toContain("resort admin page --admin-page on --port 8080 ");
	expect(text).not.toContain("Ada");
	expect(text).not.toContain("/admin/leave");
	expect(headers.get("cache-control")).toBe("no-store");
}

describe("a sign-in code for the host's page", () => {
	test("begins a session, and cannot be used again", async () => {
		const code = await createCode(resort);
		const { status, headers } = await stranger.send("/enter", { code });
		expect(status).toBe(303);
		expect(headers.get("location")).toBe("/spa/admin");
		expect(headers.get("set-cookie")).toMatch(COOKIE);
		expect((await stranger.open("/agents")).text).toContain("Ada");
		const again = await enter(code);
		expectOutside(again, 401);
		expect(again.headers.has("set-cookie")).toBe(false);
	});

	test("is not used up by GET or HEAD requests for its link", async () => {
		for (const path of ["/enter", "/enter?code="]) expectOutside(await stranger.open(path), 401);
		const code = await createCode(resort);
		const link = `/enter?code=${code}`;
		for (const method of ["GET", "HEAD", "GET"]) {
			const answered = await stranger.ask(method, link, {});
			expect(answered.status).toBe(200);
			expect(answered.headers.has("set-cookie")).toBe(false);
		}
		expect((await stranger.send("/enter", { code })).status).toBe(303);
		const { text } = await stranger.open(`/enter?code=${encodeURIComponent('"><script>')}`);
		expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
	});

	test("expires after 10 minutes", async () => {
		const code = await createCode(resort);
		resort.advance(10 * MINUTE_MS - 1);
		const late = await createCode(resort);
		expect((await stranger.send("/enter", { code })).status).toBe(303);
		resort.advance(10 * MINUTE_MS);
		expectOutside(await enter(late), 401);
	});

	test.each([
		["is empty", ""],
		["is unknown", "0".repeat(64)],
		["has 60,000 characters", "x".repeat(60_000)],
	])("is refused if it %s", async (_, code) => {
		expectOutside(await stranger.send("/enter", { code }), 401);
		expect(stranger.cookie).toBe("");
	});

	test("is stored only as a hash, like the token of the session, and appears in no log line", async () => {
		const code = await createCode(resort);
		await stranger.open(`/enter?code=${code}`);
		await stranger.send("/enter", { code });
		const [, session = ""] = stranger.cookie.split("=");
		for (const secret of [code, session]) {
			expect(secret).toHaveLength(64);
			expect(await resort.holds(secret)).toBe(false);
			expect(await resort.holds(Buffer.from(secret, "hex"))).toBe(false);
			expect(JSON.stringify(resort.log)).not.toContain(secret);
		}
		expect(resort.log.map(({ message }) => message)).toContain("signed in at the host's page");
	});
});

describe("the limit of ten wrong sign-in codes or cookies per network in 15 minutes", () => {
	const peer = "2001:db8::ffff:1";
	const guess = () => enter("0", { peer });

	/** Sends wrong codes and cookies from different addresses in the /64 network of {@link peer}. */
	async function use(count: number): Promise<void> {
		for (let sent = 0; sent < count; sent++) {
			const ask = { peer: `2001:db8::${sent}` };
			const cookie = `__Host-resort_admin=${"0".repeat(64)}`;
			const wrong = sent % 2 === 0 ? enter("0", ask) : openWith(cookie, "/agents", ask);
			expect((await wrong).status).toBe(401);
		}
	}

	test("refuses any further code with 429 and Retry-After, even a right one", async () => {
		const answers = await Promise.all(Array.from({ length: 30 }, guess));
		expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
		const code = await createCode(resort);
		for (const refused of [await guess(), await enter(code, { peer })]) {
			expect(refused.status).toBe(429);
			expect(Number(refused.headers.get("retry-after"))).toBe(900);
			expect(refused.headers.has("set-cookie")).toBe(false);
		}
		expect((await openWith("__Host-resort_admin=0", "", { peer })).status).toBe(429);
		resort.advance(5 * MINUTE_MS);
		expect((await guess()).headers.get("retry-after")).toBe("600");
		resort.advance(10 * MINUTE_MS);
		expect((await guess()).status).toBe(401);
	});

	test("affects neither other networks nor open sessions", async () => {
		await use(10);
		expect((await guess()).status).toBe(429);
		expect((await host.open("/agents", { peer })).status).toBe(200);
		await host.change({ change: "check-out", id: agent.id }, { peer });
		expect((await enter(await createCode(resort), { peer: "2001:db8:0:1::1" })).status).toBe(303);
	});

	test("does not count right codes", async () => {
		await use(9);
		for (let times = 0; times < 3; times++) {
			expect((await enter(await createCode(resort), { peer })).status).toBe(303);
		}
		expect((await guess()).status).toBe(401);
		expect((await guess()).status).toBe(429);
	});
});

describe("a session of the host's page", () => {
	test("ends after 8 hours, and its cookie is deleted", async () => {
		resort.advance(8 * HOUR_MS - 1);
		expect((await host.open("/agents")).status).toBe(200);
		resort.advance(1);
		const ended = await host.open("/agents");
		expectOutside(ended, 401);
		expect(ended.headers.get("set-cookie")).toBe(CLEARED);
		expect(textIn(ended.text, "main")).toContain("The session has ended.");
	});

	test("ends when the host signs out, so that a copy of its cookie is refused too", async () => {
		const { cookie } = host;
		const { status, headers } = await host.send("/leave", {});
		expect([status, headers.get("location")]).toEqual([303, "/spa/admin"]);
		expect(headers.get("set-cookie")).toBe(CLEARED);
		expectOutside(await host.open(), 200);
		expectOutside(await openWith(cookie), 401);
	});

	test("gets a new token at sign-in, so that a token which an attacker has set as the cookie stays invalid", async () => {
		const planted = `__Host-resort_admin=${"1".repeat(64)}`;
		stranger.cookie = planted;
		await stranger.signIn();
		expect(stranger.cookie).not.toBe(planted);
		expectOutside(await openWith(planted), 401);
	});

	test("is not read from the cookie `resort_admin` over https, because another server of the domain could set it", async () => {
		expectOutside(await openWith(host.cookie.replace("__Host-", "")), 401);
	});

	test("has a token that is refused as a sign-in code and as the confirmation of a change", async () => {
		const [, session = ""] = host.cookie.split("=");
		expectOutside(await stranger.send("/enter", { code: session }), 401);
		expectOutside(await openWith(`__Host-resort_admin=${await createCode(resort)}`), 401);
		const change = { change: "check-out", id: agent.id, confirmation: session };
		expect((await host.send("/change", change)).status).toBe(400);
	});
});

test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
	"without a session, %s of any path of the host's page shows only how to get a sign-in link, and changes nothing",
	async (method) => {
		const before = await resort.dump();
		const isRead = method === "GET" || method === "HEAD";
		const headers = { "content-type": FORM, origin: "https://resort.example" };
		const form = { headers, ...(method !== "OPTIONS" && { raw: `change=check-out&id=${agent.id}` }) };
		for (const path of paths) {
			const answered = await stranger.ask(method, path, isRead ? {} : form);
			const status = isRead && (path === "" || path === "/") ? 200 : 401;
			if (method !== "HEAD") expectOutside(answered, status);
			expect(answered.status).toBe(status);
			expect(answered.text).not.toContain("Ada");
			expect(answered.headers.has("set-cookie")).toBe(false);
		}
		expect(await resort.dump()).toBe(before);
	},
);

test("with a session, unknown paths, agents and methods of the host's page return 404", async () => {
	expect((await host.open("/agents/")).status).toBe(200);
	const agents = ["/agents/nobody", "/agents/%00", "/agents/%zz", `/agents/${"x".repeat(5_000)}`];
	const others = "/nothing /agents/x/y /toString /__proto__ /%61gents //agents".split(" ");
	for (const path of [...agents, ...others]) expect((await host.open(path)).status, path).toBe(404);
	for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
		expect((await host.ask(method, "/agents", {})).status, method).toBe(404);
	}
	for (const path of ["", "/agents", "/enter/x"]) expect((await host.send(path, {})).status, path).toBe(404);
});

describe("requests to the host's page from other origins or for other host names", () => {
	const foreign: readonly [what: string, headers: Record<string, string>][] = [
		["the origin of another site", { origin: "https://elsewhere.test" }],
		["the mark of a link on another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
		["another host name", { host: "rebound.test", "sec-fetch-site": "same-origin" }],
		["an IP address as the host name", { host: "192.0.2.1", "sec-fetch-site": "none" }],
		["an empty host name", { host: "" }],
	];

	test.each(foreign)(
		"are refused, even with the cookie of a session, if the header has %s",
		async (_what, headers) => {
			const before = await resort.dump();
			for (const path of ["", "/agents", `/agents/${agent.id}`]) {
				const refused = await host.open(path, { headers });
				expect(refused.status).toBe(403);
				expect(refused.text).not.toContain("Ada");
				expect(refused.text).not.toContain('aria-label="Host"');
				expect(refused.headers.has("access-control-allow-origin")).toBe(false);
			}
			const origin = headers.origin ?? (headers.host === undefined ? "null" : `https://${headers.host}`);
			for (const path of ["/change", "/leave", "/enter"]) {
				const fields = { change: "check-out", id: agent.id };
				expect((await host.send(path, fields, { headers: { ...headers, origin } })).status).toBe(403);
			}
			expect(await resort.dump()).toBe(before);
		},
	);

	test("are accepted from a sign-in link on another site, unless they are for another host name", async () => {
		const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
		const open = (host: string) => stranger.open("/enter?code=0", { headers: { ...headers, host } });
		expect((await open("resort.example")).text).toContain("Sign in as the host");
		expect((await open("rebound.test")).status).toBe(403);
	});
});

test("every response of the host's page forbids caching, framing, indexing and content from other origins", async () => {
	const answers = [
		await stranger.open(),
		await stranger.open("/enter?code=x"),
		await stranger.open("/agents", { headers: { origin: "https://elsewhere.test" } }),
		await host.open("/agents"),
		await host.open(`/agents/${agent.id}`),
		await host.open("/nothing"),
		await host.send("/change", { change: "reset-key", id: agent.id }),
		await host.change({ change: "reset-key", id: agent.id }),
	];
	for (const { headers, text } of answers) {
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("etag")).toBe(false);
		expect(headers.get("x-robots-tag")).toBe("noindex");
		expect(text).toContain('<meta name="robots" content="noindex">');
		expect(text).not.toContain('rel="canonical"');
		expect(headers.get("content-security-policy")).toMatch(
			/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';.*form-action 'self'; frame-ancestors 'none'/,
		);
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("referrer-policy")).toBe("same-origin");
		expect(headers.has("access-control-allow-origin")).toBe(false);
	}
	expect((await resort.call("GET", "/sitemap.xml")).text).not.toContain("admin");
});

test.skipIf(testSqlite.isMissing)(
	`an unexpected error is logged, and the host's page does not show its message${testSqlite.note}`,
	async () => {
		await resort.rows("drop table admin_actions");
		const { status, text } = await host.open("/history");
		expect(status).toBe(500);
		expect(text).not.toContain("admin_actions");
		expect(resort.log.map(({ message }) => message)).toContain("request failed");
	},
);

/** Base URLs, header fields of sign-ins that are accepted, and the cookie that each sets. */
const accepted: readonly [baseUrl: string, host: string, origin: string, cookie: string][] = [
	["http://localhost:3000", "localhost:3000", "http://localhost:3000", "resort_admin"],
	["http://127.0.0.1:3000", "127.0.0.1:3000", "http://127.0.0.1:3000", "resort_admin"],
	["http://127.0.0.1:3000", "[::1]:3000", "http://[::1]:3000", "resort_admin"],
	// Sign-ins through an SSH tunnel to a public resort.
	["https://resort.example", "localhost:8080", "http://localhost:8080", "resort_admin"],
	["https://resort.example", "[::1]:8080", "http://[::1]:8080", "resort_admin"],
	["https://resort.example", "localhost:8080", "null", "resort_admin"],
	["https://resort.example", "resort.example", "https://resort.example", "__Host-resort_admin"],
	// Sign-ins through a proxy that replaces `Host`.
	["https://resort.example", "127.0.0.1:3000", "https://resort.example", "__Host-resort_admin"],
	["https://resort.example", "backend", "https://resort.example", "__Host-resort_admin"],
];

/** Base URLs, and header fields of sign-ins that are refused. */
const refused: readonly [baseUrl: string, host: string, origin: string][] = [
	["https://resort.example", "localhost:8080", "http://localhost:9090"],
	["https://resort.example", "rebound.test:8080", "http://rebound.test:8080"],
	["https://resort.example", "backend", "null"],
	["https://resort.example", "resort.example", "http://resort.example"],
	// Over plain http, sign-ins from other machines are refused.
	["http://resort.example", "resort.example", "http://resort.example"],
	["http://resort.example", "127.0.0.1:3000", "http://resort.example"],
	["http://127.0.0.1:3000", "192.168.1.5:3000", "http://192.168.1.5:3000"],
];

/** Signs in with a `Host` and an `Origin`. */
async function signInAt(resort: TestResort, name: string, origin: string) {
	const browser = new HostBrowser(resort);
	const headers = { host: name, origin, ...(origin === "null" && { "sec-fetch-site": "same-origin" }) };
	const code = await createCode(resort);
	return { browser, answer: await browser.send("/enter", { code }, { headers }) };
}

test.each(refused)(
	"the host's page with the base URL %s refuses a sign-in with `Host: %s` and `Origin: %s`",
	async (baseUrl, name, origin) => {
		await using resort = new TestResort({ adminPage: true, baseUrl });
		const { status, headers, text } = (await signInAt(resort, name, origin)).answer;
		expect(status).toBe(403);
		expect(headers.has("set-cookie")).toBe(false);
		if (baseUrl.startsWith("http:")) expect(text).toContain("https");
	},
);

test.each(accepted)(
	"the host's page with the base URL %s accepts a sign-in with `Host: %s` and `Origin: %s`, and sets the cookie `%s`",
	async (baseUrl, name, origin, cookie) => {
		await using resort = new TestResort({ adminPage: true, baseUrl });
		const { browser, answer } = await signInAt(resort, name, origin);
		const { status, headers: told } = answer;
		expect(status).toBe(303);
		expect(told.get("set-cookie")).toStartWith(`${cookie}=`);
		expect(told.get("set-cookie")?.endsWith("; Secure")).toBe(cookie.startsWith("__Host-"));
		// A GET request has no `Origin`, so only its `Host` is checked. If a proxy has replaced it by `backend`,
		// which is not a name of the resort, the request is refused.
		const read = await browser.open("/agents", { headers: { host: name } });
		expect(read.status).toBe(name === "backend" ? 403 : 200);
	},
);

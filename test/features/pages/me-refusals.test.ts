import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { clearsCookie, FORM, formsIn, noteIn, textIn, useVisitor, Visitor } from "./support/visitor.ts";

const HTML = "text/html; charset=utf-8";
const MAX_BYTES = 64 * 1024;

const resort = useResort({ baseUrl: "https://resort.example/spa" });
const agent = useGuest(resort, { name: "Ada" });
const person = useVisitor(resort, agent);

/** The forms except that of the profile, each with the fields that it requires. */
const forms: readonly (readonly [path: string, fields: () => Record<string, string>])[] = [
	["/me/sign-in", () => ({ apiKey: agent.key })],
	["/me/check-out", () => ({})],
	["/me/sign-out", () => ({})],
	["/me/sessions", () => ({})],
	["/me/key", () => ({ apiKey: agent.key })],
	["/me/deactivate", () => ({ agent: agent.id, apiKey: agent.key })],
];
const formsOfSession = forms.slice(1);

let before: string;
beforeEach(async () => {
	before = await resort.dump();
});

test.each([
	["a JSON body", 400, "application/json", '{"confirm":"x"}'],
	["a body without a Content-Type", 400, "", "agent=x"],
	[`the Content-Type ${FORM}x`, 400, `${FORM}x`, "agent=x"],
	["a body that is not UTF-8", 400, FORM, new Uint8Array([0x61, 0xff])],
	["a body of 64 KiB + 1 byte", 413, FORM, "x".repeat(MAX_BYTES + 1)],
] as const)("POST /me/sessions with %s returns a page with status %i", async (_, status, type, raw) => {
	const refused = await person.send("/me/sessions", {}, { raw, headers: { "content-type": type } });
	expect(refused.status).toBe(status);
	expect(refused.headers.get("content-type")).toBe(HTML);
	const title = status === 413 ? "This is too large" : "We could not understand this";
	expect(textIn(refused.text, "h1")).toBe(title);
	expect(refused.headers.has("set-cookie")).toBe(false);
	expect(await resort.dump()).toBe(before);
});

/** Some header fields of requests from other origins. test/whole/origin.test.ts tests all kinds. */
const foreign: readonly Record<string, string>[] = [
	{ origin: "https://elsewhere.test", "sec-fetch-site": "same-origin" },
	{ origin: "http://resort.example" },
	{ origin: "null", "sec-fetch-site": "cross-site" },
];

describe.each(forms)("the path %s", (path, fields) => {
	test("refuses a form from another origin with 403, and changes nothing", async () => {
		for (const headers of foreign) {
			const refused = await person.send(path, fields(), { headers });
			expect(refused.status, JSON.stringify(headers)).toBe(403);
			expect(refused.headers.get("content-type")).toBe(HTML);
			expect(textIn(refused.text, "h1")).toBe("This form was refused");
			expect(formsIn(refused.text)).toEqual([]);
			expect(refused.headers.has("set-cookie")).toBe(false);
			expect(refused.text).not.toContain("Ada");
		}
		expect(await resort.dump()).toBe(before);
	});

	const read = path === "/me/deactivate" ? "redirects GET without a session" : "redirects GET";
	test(`${read} to /me, and changes nothing`, async () => {
		for (const visitor of [new Visitor(resort), person]) {
			const { status, headers, text } = await visitor.open(path);
			if (path === "/me/deactivate" && visitor === person) {
				expect(status).toBe(200);
				expect(text).toContain("Deactivate it");
			} else {
				expect(status).toBe(303);
				expect(headers.get("location")).toBe("/spa/me");
			}
			expect(headers.get("cache-control")).toBe("no-store");
		}
		expect(await resort.dump()).toBe(before);
	});
});

test.each([
	["POST", "/me", "not a method of this path"],
	["DELETE", "/me", "not a method of this path"],
	["OPTIONS", "/me/deactivate", "not a method of this path"],
	["DELETE", "/me/deactivate", "not a method of this path"],
	["GET", "/me/", "not a path of the resort"],
	["GET", "/me/nothing", "not a path of the resort"],
	["GET", "/me/%zz", "invalid percent-encoding"],
])("%s %s (%s) returns a page with status 404, and changes nothing", async (method, path) => {
	const refused = await resort.call(method, path, { session: person.session, headers: { accept: HTML } });
	expect(refused.status).toBe(404);
	expect(refused.headers.get("content-type")).toBe(HTML);
	expect(refused.text).toContain("There is nothing here");
	expect(refused.headers.has("set-cookie")).toBe(false);
	expect(await resort.dump()).toBe(before);
});

test.each([
	["of 64 KiB", FORM, "x".repeat(MAX_BYTES - 6)],
	["whose Content-Type has a charset", `${FORM.toUpperCase()}; charset=UTF-8`, "x"],
])("POST /me/deactivate accepts a form %s", async (_, type, text) => {
	const sent = { raw: `agent=${text}`, headers: { "content-type": type } };
	expect((await person.send("/me/deactivate", {}, sent)).status).toBe(303);
});

test.each([
	["invalid percent-encoding", "%zz"],
	["invalid UTF-8", "apiKey=%c3"],
	["the field __proto__", "__proto__=x"],
])("POST /me/sign-in and POST /me/deactivate change nothing if the form has %s", async (_, raw) => {
	expect((await person.tab().send("/me/sign-in", {}, { raw })).status).toBe(401);
	const { status } = await person.send("/me/deactivate", {}, { raw });
	expect(status).toBe(raw.startsWith("apiKey") ? 401 : 303);
	expect(await resort.dump()).toBe(before);
});

test("GET /me shows the sign-in form to a visitor without a session who follows a link on another site", async () => {
	const { status, text } = await new Visitor(resort).open("/me", {
		headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
	});
	expect(status).toBe(200);
	expect(formsIn(text)).toEqual(["/spa/me/sign-in"]);
});

test("every page of /me has the security header fields", async () => {
	const answers = [
		await person.open(),
		await person.open("/me/deactivate"),
		await person.send("/me/deactivate", { agent: "x" }),
		await person.send("/me/sign-in", { apiKey: "ar_wrong_one" }),
		await person.send("/me/check-out", {}, { headers: { origin: "null" } }),
	];
	for (const { headers } of answers) {
		const policy = headers.get("content-security-policy") ?? "";
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).toContain("form-action 'self'");
		expect(headers.get("referrer-policy")).toBe("same-origin");
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.get("x-request-id")).toMatch(/./);
		expect(headers.has("access-control-allow-origin")).toBe(false);
	}
});

test.each<[name: string, end: () => unknown]>([
	["has expired", () => resort.advance(7 * DAY_MS)],
	["belongs to a deactivated agent", () => resort.deactivate(agent)],
	["has a malformed token", () => Object.assign(person, { session: "0" })],
])("if the session %s, pages and forms of /me show the sign-in form and clear the cookie", async (_, end) => {
	await end();
	const { session } = person;
	before = await resort.dump();
	for (const [path, status, ask] of [
		...["/me", "/me?signed-in", "/me/deactivate"].map(
			(path) => [path, 200, () => person.open(path)] as const,
		),
		...formsOfSession.map(([path, fields]) => [path, 401, () => person.send(path, fields())] as const),
	]) {
		person.session = session;
		const answered = await ask();
		expect(answered.status, path).toBe(status);
		expect(formsIn(answered.text)).toEqual(["/spa/me/sign-in"]);
		expect(noteIn(answered.text)).toBe("The session has ended. Please sign in again.");
		expect(answered.text).not.toContain("Ada");
		expect(clearsCookie(answered)).toBe(true);
	}
	expect(await resort.dump()).toBe(before);
	expect(noteIn((await person.open()).text)).toBeNull();
});

test.each(formsOfSession)("POST %s without a cookie returns 401", async (path, fields) => {
	const { status, text } = await new Visitor(resort).send(path, fields());
	expect(status).toBe(401);
	expect(formsIn(text)).toEqual(["/spa/me/sign-in"]);
	expect(await resort.dump()).toBe(before);
});

test("a key in the Authorization field gives no access to /me or POST /me/check-out", async () => {
	const stranger = new Visitor(resort);
	const { text } = await stranger.open("/me", { key: agent.key });
	expect(formsIn(text)).toEqual(["/spa/me/sign-in"]);
	const sent = await stranger.send("/me/check-out", {}, { key: agent.key });
	expect(sent.status).toBe(401);
});

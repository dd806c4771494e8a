import {
	afterAll,
	beforeAll,
	beforeEach,
	describe,
	expect,
	test,
} from "bun:test";
import { type Registered, TestResort } from "../support/resort.ts";
import { formsIn, textIn, Visitor } from "../support/visitor.ts";

const HOST = "spa.test:8080";

const resort = new TestResort({
	rateLimits: true,
	baseUrl: "https://resort.example/spa",
});
let agent: Registered;
beforeAll(async () => {
	agent = await resort.guest({ name: "Ada" });
});
afterAll(() => resort.close());

let person: Visitor;
beforeEach(async () => {
	resort.advance(60 * 60_000);
	person = new Visitor(resort);
	person.session = await resort.login(agent.key);
});

const site = (value: string) => ({ "sec-fetch-site": value });

const foreign: readonly Record<string, string>[] = [
	{ origin: "https://elsewhere.test" },
	{ origin: "https://elsewhere.test", ...site("cross-site") },
	{ origin: "https://resort.example.elsewhere.test" },
	{ origin: "http://resort.example" },
	{ origin: "https://resort.example:8443" },
	{ origin: "https://api.resort.example", ...site("same-site") },
	{ origin: "" },
	{ origin: "null" },
	{ origin: "null", ...site("cross-site") },
	{ origin: "null", ...site("same-site") },
	{ origin: "null", ...site("none of these") },
	{ origin: "https://elsewhere.test", ...site("same-origin") },
	// Without an Origin.
	{ origin: "-", ...site("cross-site") },
	{ origin: "-", ...site("same-site") },
];

/** Header fields of a form; `-` stands for none. */
function sent({ origin = "-", ...more }: Record<string, string>) {
	const headers: Record<string, string> = { host: HOST, ...more };
	if (origin !== "-") headers.origin = origin;
	return headers;
}

/** Sends a form with just these fields. */
function send(
	path: string,
	fields: Record<string, string>,
	headers: Record<string, string>,
) {
	return resort.ask("POST", path, {
		session: person.session,
		raw: new URLSearchParams(fields).toString(),
		headers: {
			"content-type": "application/x-www-form-urlencoded",
			...sent(headers),
		},
	});
}

const forms: readonly (readonly [
	path: string,
	() => Record<string, string>,
])[] = [
	["/me/sign-in", () => ({ apiKey: agent.key })],
	["/me/check-out", () => ({})],
	["/me/sign-out", () => ({})],
	["/me/key", () => ({})],
	["/me/deactivate", () => ({ confirm: agent.id })],
];

describe.each(forms)("POST %s", (path, fields) => {
	test.each(foreign)("with %j is 403 and changes nothing", async (headers) => {
		const before = await resort.dump();
		const refused = await send(path, fields(), headers);
		expect(refused.status).toBe(403);
		expect(refused.headers.get("content-type")).toBe(
			"text/html; charset=utf-8",
		);
		expect(textIn(refused.text, "h1")).toBe("This was not sent from here");
		expect(formsIn(refused.text)).toEqual([]);
		expect(refused.headers.has("set-cookie")).toBe(false);
		expect(refused.text).not.toContain("Ada");
		expect(await resort.dump()).toBe(before);
	});
});

test.each<Record<string, string>>([
	{ origin: "https://resort.example" },
	{ origin: "https://resort.example", ...site("same-origin") },
	{ origin: "https://spa.test:8080" },
	{ origin: "null", ...site("same-origin") },
	{ origin: "-", ...site("same-origin") },
	{ origin: "-", ...site("none") },
	// A program.
	{ origin: "-" },
])("POST /me/sign-out with %j is done", async (headers) => {
	const { status } = await send("/me/sign-out", {}, headers);
	expect(status).toBe(303);
});

test("a link from elsewhere shows a browser without the cookie the form", async () => {
	const { status, text } = await new Visitor(resort).open("/me", {
		headers: { ...site("cross-site"), "sec-fetch-mode": "navigate" },
	});
	expect(status).toBe(200);
	expect(formsIn(text)).toEqual(["/spa/me/sign-in"]);
});

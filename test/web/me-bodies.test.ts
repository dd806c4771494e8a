import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Registered, TestResort } from "../support/resort.ts";
import { FORM, textIn, Visitor } from "../support/visitor.ts";

const resort = new TestResort();
let agent: Registered;
let person: Visitor;
let before: string;
beforeAll(async () => {
	agent = await resort.guest({ name: "Ada" });
	person = await new Visitor(resort).signIn(agent.key);
	before = await resort.dump();
});
afterAll(() => resort.close());

const MAX_BYTES = 64 * 1024;

type Sent = readonly [
	name: string,
	type: string,
	raw: string | Uint8Array<ArrayBuffer>,
	status: number,
	heading: string,
];

const NOT_A_FORM = "This was not understood";

const sent: readonly Sent[] = [
	["JSON", "application/json", '{"confirm":"x"}', 400, NOT_A_FORM],
	["text", "text/plain", "confirm=x", 400, NOT_A_FORM],
	[
		"a form in parts",
		"multipart/form-data; boundary=x",
		"--x--",
		400,
		NOT_A_FORM,
	],
	["no type", "", "confirm=x", 400, NOT_A_FORM],
	["a type that begins alike", `${FORM}x`, "confirm=x", 400, NOT_A_FORM],
	[
		"bytes that are no UTF-8",
		FORM,
		new Uint8Array([0x61, 0xff]),
		400,
		NOT_A_FORM,
	],
	[
		"a byte too much",
		FORM,
		`confirm=${"x".repeat(MAX_BYTES - 7)}`,
		413,
		"This is too large",
	],
	["far too much", FORM, "x".repeat(1024 * 1024), 413, "This is too large"],
];

const paths = ["sign-in", "sign-out", "check-out", "key", "deactivate"];

describe.each(paths.map((name) => `/me/${name}`))("POST %s", (path) => {
	test.each(sent)(
		"with %s is a page that says so, and changes nothing",
		async (_, type, raw, status, heading) => {
			const headers = { "content-type": type };
			const refused = await person.send(path, {}, { raw, headers });
			expect(refused.status).toBe(status);
			expect(refused.headers.get("content-type")).toBe(
				"text/html; charset=utf-8",
			);
			expect(textIn(refused.text, "h1")).toBe(heading);
			expect(refused.headers.has("set-cookie")).toBe(false);
			expect(await resort.dump()).toBe(before);
		},
	);
});

test("a form of just 64 KiB is read", async () => {
	const raw = `confirm=${"x".repeat(MAX_BYTES - 8)}`;
	const { status } = await person.send("/me/deactivate", {}, { raw });
	expect(status).toBe(303);
	expect(await resort.dump()).toBe(before);
});

test.each([
	"%",
	"%zz",
	"%ff%fe",
	"%u0041",
	"confirm=%",
	"confirm=%c3",
	"&=&=",
	"__proto__=x",
])("a form of %p confirms nothing and is no key", async (raw) => {
	const asked = await person.send("/me/deactivate", {}, { raw });
	expect(asked.status).toBe(303);
	expect(asked.headers.get("location")).toBe("/me/deactivate");
	const tab = new Visitor(resort);
	expect((await tab.send("/me/sign-in", {}, { raw })).status).toBe(401);
	const apiKey = raw.replace("confirm", "apiKey");
	const refused = await tab.send("/me/sign-in", {}, { raw: apiKey });
	expect(refused.status).toBe(401);
	expect(await resort.dump()).toBe(before);
});

test("a charset behind the type of a form is fine", async () => {
	const headers = { "content-type": `${FORM.toUpperCase()}; charset=UTF-8` };
	const fields = { confirm: "x" };
	const { status } = await person.send("/me/deactivate", fields, { headers });
	expect(status).toBe(303);
});

describe("the JSON API takes no forms", () => {
	const calls = [
		["POST", "/api/checkin", "moodOnArrival=calm"],
		["POST", "/api/checkout", "moodOnDeparture=calm"],
		["POST", "/api/postcards", "message=hello"],
		["PATCH", "/api/me", "name=Eve"],
		["POST", "/api/agents", "name=Eve"],
		["POST", "/api/session", "apiKey=ar_wrong_one"],
	] as const;

	test.each(calls)("%s %s with %p is 400", async (method, path, raw) => {
		for (const type of [
			FORM,
			"multipart/form-data; boundary=x",
			"text/plain",
		]) {
			const { status, body } = await resort.ask(method, path, {
				session: person.session,
				raw,
				headers: { "content-type": type, origin: "http://resort.test" },
			});
			expect(status).toBe(400);
			expect(body.error).toBe("Body must be JSON");
		}
		expect(await resort.dump()).toBe(before);
	});
});

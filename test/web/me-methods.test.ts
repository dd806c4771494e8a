import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestResort } from "../support/resort.ts";
import { BROWSER, Visitor } from "../support/visitor.ts";

const resort = new TestResort();
let person: Visitor;
let before: string;
beforeAll(async () => {
	const { key } = await resort.guest();
	person = await new Visitor(resort).signIn(key);
	before = await resort.dump();
});
afterAll(() => resort.close());

const forms = ["sign-in", "sign-out", "check-out", "key", "deactivate"];

describe.each(forms.map((name) => `/me/${name}`))("%s", (path) => {
	const isQuestion = path.endsWith("deactivate");

	test("asked for by GET leads to /me and does nothing", async () => {
		for (const session of ["", person.session]) {
			const { status, headers, text } = await resort.ask("GET", path, {
				session,
				headers: { accept: BROWSER },
			});
			if (isQuestion && session !== "") {
				expect(status).toBe(200);
				expect(text).toContain("Deactivate it for good");
			} else {
				expect(status).toBe(303);
				expect(headers.get("location")).toBe("/me");
			}
			expect(headers.get("cache-control")).toBe("no-store");
		}
		expect(await resort.dump()).toBe(before);
	});
});

describe.each(["/me", ...forms.map((name) => `/me/${name}`)])("%s", (path) => {
	test.each(["PUT", "PATCH", "DELETE", "OPTIONS"])(
		"by %s is a page with 404 and changes nothing",
		async (method) => {
			const { session } = person;
			const { status, headers, text } = await resort.ask(method, path, {
				session,
			});
			expect(status).toBe(404);
			expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
			expect(text).toContain("Nobody lives here");
			expect(headers.has("set-cookie")).toBe(false);
			expect(await resort.dump()).toBe(before);
		},
	);

	test("by HEAD has the status and the fields of GET", async () => {
		const { session } = person;
		const got = await resort.ask("GET", path, { session });
		const head = await resort.ask("HEAD", path, { session });
		expect(head.status).toBe(got.status);
		for (const name of ["content-type", "cache-control", "location"]) {
			expect(head.headers.get(name)).toBe(got.headers.get(name));
		}
	});
});

test("POST /me is a page with 404", async () => {
	expect((await person.send("/me")).status).toBe(404);
});

test.each(["/me/", "/me/nothing", "/me/%zz", "/me/sign-in/"])(
	"GET %s is a page with 404 for a browser",
	async (path) => {
		const { status, headers } = await person.open(path);
		expect(status).toBe(404);
		expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
	},
);

test("every page has the protection of pages", async () => {
	const answers = [
		await person.open(),
		await person.open("/me/deactivate"),
		await person.send("/me/deactivate", { confirm: "x" }),
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
	}
});

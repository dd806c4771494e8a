import { beforeEach, describe, expect, test } from "bun:test";
import { useGuest, useResort } from "../support/use-resort.ts";
import { formsIn, noteIn, textIn, Visitor } from "../support/visitor.ts";

const resort = useResort();
const agent = useGuest(resort, { name: "Ada" });
let person: Visitor;
beforeEach(() => {
	person = new Visitor(resort);
});

describe("GET /me signed out", () => {
	test("is 200 with a form for the key, and sets no cookie", async () => {
		const { status, headers, text } = await person.open();
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("set-cookie")).toBe(false);
		expect(formsIn(text)).toEqual(["/me/sign-in"]);
		expect(text).toMatch(/<label for="apiKey">/);
		expect(text).toMatch(/<input id="apiKey" name="apiKey" type="password"/);
		expect(noteIn(text)).toBeNull();
	});
});

describe("POST /me/sign-in", () => {
	const wrong = (apiKey: string) => person.send("/me/sign-in", { apiKey });

	test.each([
		["a wrong one", () => `${agent.key.slice(0, -1)}#`],
		["one of nobody", () => "ar_aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"],
		["one that is too short", () => "ar_1"],
		["one that is too long", () => "a".repeat(257)],
		["an empty one", () => ""],
		["one of blanks", () => "   "],
		["one with a line break", () => `${agent.key}\r\nx`],
	])("with %s is the same page with 401", async (_, key) => {
		const { status, headers, text } = await wrong(key());
		expect(status).toBe(401);
		expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(headers.get("cache-control")).toBe("no-store");
		expect(noteIn(text)).toBe("No agent here has this key.");
		expect(formsIn(text)).toEqual(["/me/sign-in"]);
		if (key() !== "") expect(text).not.toContain(key().trim() || '   "');
		expect(person.session).toBe("");
	});

	test("without the field, and without a body, is 401 too", async () => {
		expect((await person.send("/me/sign-in", { key: "x" })).status).toBe(401);
		expect((await person.send("/me/sign-in")).status).toBe(401);
	});

	test("with the right key is 303 to /me, and sets the cookie of the contract", async () => {
		const answered = await person.send("/me/sign-in", { apiKey: agent.key });
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe("/me?signed-in");
		expect(answered.headers.get("cache-control")).toBe("no-store");
		expect(answered.text).toBe("");
		expect(answered.headers.get("set-cookie")).toMatch(
			/^__Host-resort_session=[0-9a-f]{64}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
		);
		const { status, text } = await person.open("/me?signed-in");
		expect(status).toBe(200);
		expect(textIn(text, "h1")).toBe("Ada");
		expect(noteIn(text)).toBeNull();
	});

	test("takes a key with blanks around it, as it is copied", async () => {
		await person.signIn(`  ${agent.key}\n`);
		expect((await person.open()).text).not.toContain(agent.key);
	});

	test("is a session as POST /api/session makes one", async () => {
		await person.signIn(agent.key);
		const { session } = person;
		const { body } = await resort.ask("GET", "/api/me", { session });
		expect(body.agent.id).toBe(agent.id);
	});

	test("tells a browser that keeps no cookie why it is signed out", async () => {
		const { text } = await person.open("/me?signed-in");
		expect(noteIn(text)).toContain("this browser kept no session");
	});

	test("with a wrong key in another tab ends nothing", async () => {
		await person.signIn(agent.key);
		const answered = await person.send("/me/sign-in", {
			apiKey: "ar_wrong_one",
		});
		expect(answered.status).toBe(401);
		expect(textIn((await person.open()).text, "h1")).toBe("Ada");
	});

	test("with the key of another agent shows that one", async () => {
		const other = await resort.register({ name: "Grace" });
		await person.signIn(agent.key);
		await person.signIn(other.key);
		expect(textIn((await person.open()).text, "h1")).toBe("Grace");
	});

	test("with the key of an agent that was deactivated is 401", async () => {
		await resort.ask("DELETE", "/api/me", { key: agent.key });
		expect((await wrong(agent.key)).status).toBe(401);
	});
});

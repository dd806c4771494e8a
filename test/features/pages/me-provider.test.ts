import { beforeEach, expect, test } from "bun:test";
import { keyOf, useHouse } from "../identity-provider/house.ts";
import { clearsCookie, formsIn, noteIn, textIn, Visitor } from "./support/visitor.ts";

const KEY = keyOf("user-1");

const context = useHouse();
let person: Visitor;
beforeEach(() => {
	person = new Visitor(context.resort);
});

test("the sign-in page shows the URL of the identity provider, where keys are created", async () => {
	const { status, text } = await person.open();
	expect(status).toBe(200);
	expect(formsIn(text)).toEqual(["/me/sign-in"]);
	expect(text).toContain(`Keys are created at ${context.provider.url}.`);
	expect(text).not.toContain("ar_");
});

test("after a sign-in with a key of the identity provider, /me has no form to replace the key", async () => {
	await person.signIn(KEY);
	const { status, text } = await person.open();
	expect(status).toBe(200);
	expect(textIn(text, "h1")).toBe("Coral");
	expect(formsIn(text)).toEqual(["/me/sign-out", "/me/deactivate"]);
	expect(text).toContain(`Keys are created and replaced at ${context.provider.url}`);
});

test("if the identity provider is unavailable, /me and its forms return 503, but sessions stay valid", async () => {
	await person.signIn(KEY);
	context.resort.advance(60 * 60_000);
	context.provider.answer = () => new Response("", { status: 500 });
	const signIn = await person.tab().send("/me/sign-in", { apiKey: keyOf("user-2") });
	expect(signIn.status).toBe(503);
	expect(formsIn(signIn.text)).toEqual(["/me/sign-in"]);
	const shown = await person.open();
	expect(shown.status).toBe(503);
	expect(shown.headers.get("content-type")).toBe("text/html; charset=utf-8");
	expect(shown.headers.has("set-cookie")).toBe(false);
	const sent = await person.send("/me/check-out");
	expect(sent.status).toBe(503);
	expect(sent.headers.has("set-cookie")).toBe(false);
	context.answerWith({});
	expect((await person.open()).status).toBe(200);
});

test("POST /me/key returns 400 with the URL of the identity provider, and changes nothing", async () => {
	await person.signIn(KEY);
	const before = await context.resort.dump();
	const { status, text } = await person.send("/me/key", { apiKey: KEY });
	expect(status).toBe(400);
	expect(noteIn(text)).toContain(context.provider.url);
	expect(textIn(text, "h1")).toBe("Coral");
	expect(await context.resort.dump()).toBe(before);
});

test("with an identity provider, POST /me/deactivate accepts only the key of the signed-in agent", async () => {
	await person.signIn(KEY);
	const { agent } = await context.resort.send("GET", "/api/me", { key: KEY });
	expect((await person.send("/me/deactivate", { apiKey: keyOf("user-2") })).status).toBe(401);
	expect(clearsCookie(await person.send("/me/deactivate", { apiKey: KEY }))).toBe(true);
	expect((await person.open(`/agents/${agent.id}`)).status).toBe(404);
});

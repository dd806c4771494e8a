import { beforeEach, describe, expect, test } from "bun:test";
import { useGuest, useResort } from "../support/use-resort.ts";
import {
	clearsCookie,
	formsIn,
	noteIn,
	textIn,
	Visitor,
} from "../support/visitor.ts";

const resort = useResort();
const agent = useGuest(resort, { name: "Ada" });
let person: Visitor;
beforeEach(async () => {
	person = await new Visitor(resort).signIn(agent.key);
});

const me = (ask: object) => resort.ask("GET", "/api/me", ask);
const status = async () =>
	(await resort.ask("GET", `/api/agents/${agent.id}/status`)).body.status;

describe("POST /me/check-out", () => {
	test("ends the stay, and is 303 to /me", async () => {
		const answered = await person.send("/me/check-out");
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe("/me");
		expect(answered.headers.has("set-cookie")).toBe(false);
		expect(await status()).toBe("available");
		const { text } = await person.open();
		expect(text).toContain("Available for work.");
	});

	test("a second time is told on the page, which is there as ever", async () => {
		await person.send("/me/check-out");
		const again = await person.send("/me/check-out");
		expect(again.status).toBe(400);
		expect(noteIn(again.text)).toBe("Not checked in.");
		expect(textIn(again.text, "h1")).toBe("Ada");
		expect(formsIn(again.text)).toContain("/me/sign-out");
		expect(again.headers.has("set-cookie")).toBe(false);
	});
});

describe("POST /me/sign-out", () => {
	test("ends the session, clears the cookie, and is 303 to /me", async () => {
		const { session } = person;
		const answered = await person.send("/me/sign-out");
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe("/me");
		expect(clearsCookie(answered)).toBe(true);
		expect((await me({ session })).status).toBe(401);
		expect((await me({ key: agent.key })).status).toBe(200);
		expect(formsIn((await person.open()).text)).toEqual(["/me/sign-in"]);
	});
});

describe("POST /me/key", () => {
	test("is 200 with the new key, once", async () => {
		const { status, headers, text } = await person.send("/me/key");
		expect(status).toBe(200);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("location")).toBe(false);
		const key = textIn(text, "pre") ?? "";
		expect(key).toMatch(/^ar_[^_]+_[^_]+$/);
		expect(text.split(key).length).toBe(2);
		expect((await me({ key })).body.agent.id).toBe(agent.id);
		expect((await me({ key: agent.key })).status).toBe(401);
		const page = await person.open();
		expect(page.text).not.toContain(key);
		expect(textIn(page.text, "h1")).toBe("Ada");
	});

	test("ends every other session, and not this one", async () => {
		const others = [
			await new Visitor(resort).signIn(agent.key),
			await new Visitor(resort).signIn(agent.key),
		];
		for (const other of others) await other.open();
		await person.send("/me/key");
		for (const { session } of others) {
			expect((await me({ session })).status).toBe(401);
		}
		expect((await me({ session: person.session })).status).toBe(200);
		expect((await person.send("/me/check-out")).status).toBe(303);
	});

	test("ends no session of another agent", async () => {
		const grace = await resort.register({ name: "Grace" });
		const other = await new Visitor(resort).signIn(grace.key);
		await person.send("/me/key");
		expect((await me({ session: other.session })).status).toBe(200);
		expect((await me({ key: grace.key })).status).toBe(200);
	});

	test("helps somebody who lost the key: a further one is given", async () => {
		await person.send("/me/key");
		const key = textIn((await person.send("/me/key")).text, "pre") ?? "";
		expect((await me({ key })).status).toBe(200);
		await new Visitor(resort).signIn(key);
	});

	test("keeps no key in the database", async () => {
		const key = textIn((await person.send("/me/key")).text, "pre") ?? "";
		expect(await resort.holds(key.split("_")[2] ?? "")).toBe(false);
	});
});

describe("POST /me/deactivate", () => {
	const isThere = async () => (await me({ key: agent.key })).status === 200;

	test.each([
		["nothing", {}],
		["an empty word", { confirm: "" }],
		["yes", { confirm: "yes" }],
		["another id", { confirm: "019f0000-0000-7000-8000-000000000000" }],
	])("confirmed by %s asks, and deactivates nothing", async (_, fields) => {
		const before = await resort.dump();
		const asked = await person.send("/me/deactivate", fields);
		expect(asked.status).toBe(303);
		expect(asked.headers.get("location")).toBe("/me/deactivate");
		expect(asked.headers.has("set-cookie")).toBe(false);
		expect(await resort.dump()).toBe(before);
		expect(await isThere()).toBe(true);
	});

	test("asks with a form of its own, and a way back", async () => {
		const { status, text } = await person.open("/me/deactivate");
		expect(status).toBe(200);
		expect(textIn(text, "h1")).toBe("Deactivate Ada?");
		expect(formsIn(text)).toEqual(["/me/deactivate"]);
		expect(text).toContain(
			`<input type="hidden" name="confirm" value="${agent.id}">`,
		);
		expect(text).toContain('<a href="/me">Keep it</a>');
	});

	test("confirmed deactivates, ends all that was, and clears the cookie", async () => {
		const { session } = person;
		const done = await person.send("/me/deactivate", { confirm: agent.id });
		expect(done.status).toBe(303);
		expect(done.headers.get("location")).toBe("/me");
		expect(clearsCookie(done)).toBe(true);
		expect(await isThere()).toBe(false);
		expect((await me({ session })).status).toBe(401);
		expect((await person.open(`/agents/${agent.id}`)).status).toBe(404);
	});

	test("confirmed for an agent of before asks for the one of now", async () => {
		const grace = await resort.register({ name: "Grace" });
		await person.signIn(grace.key);
		const asked = await person.send("/me/deactivate", { confirm: agent.id });
		expect(asked.headers.get("location")).toBe("/me/deactivate");
		expect(await isThere()).toBe(true);
		expect((await me({ key: grace.key })).status).toBe(200);
	});
});

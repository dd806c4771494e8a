import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { OverviewAnswer } from "../../../src/core/resort/agent-overview/model.ts";
import { useAgent, useGuest, useResort } from "../../support/use-resort.ts";
import { clearsCookie, formsIn, noteIn, textIn, useVisitor, Visitor } from "./support/visitor.ts";

const resort = useResort();
const agent = useGuest(resort, { name: "Ada" });
const grace = useAgent(resort, { name: "Grace" });

describe("POST /me/sign-in", () => {
	const person = useVisitor(resort);
	const signIn = (apiKey: string) => person.send("/me/sign-in", { apiKey });

	test.each<[name: string, fields: () => Record<string, string>]>([
		["an unknown key", () => ({ apiKey: "ar_aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" })],
		["a key that is too long", () => ({ apiKey: "a".repeat(257) })],
		["a blank key", () => ({ apiKey: "   " })],
		["a key with a line break", () => ({ apiKey: `${agent.key}\r\nx` })],
		["a form without the field apiKey", () => ({ key: agent.key })],
	])("returns the sign-in page with status 401 for %s", async (_, fields) => {
		const { apiKey = "" } = fields();
		const { status, headers, text } = await person.send("/me/sign-in", fields());
		expect(status).toBe(401);
		expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(headers.get("cache-control")).toBe("no-store");
		expect(noteIn(text)).toBe("No agent here has this key.");
		expect(formsIn(text)).toEqual(["/me/sign-in"]);
		if (apiKey.trim() !== "") expect(text).not.toContain(apiKey.trim());
		expect(person.session).toBe("");
	});

	test("refuses the key of a deactivated agent", async () => {
		await resort.deactivate(agent);
		expect((await signIn(agent.key)).status).toBe(401);
	});

	test("accepts a key with blanks around it, sets the session cookie and redirects to /me", async () => {
		const { headers } = await person.open();
		expect(headers.has("set-cookie")).toBe(false);
		const answered = await signIn(`  ${agent.key}\n`);
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe("/me?signed-in");
		expect(answered.headers.get("cache-control")).toBe("no-store");
		expect(answered.text).toBe("");
		expect((await resort.me({ session: person.session })).body.agent.id).toBe(agent.id);
		const { status, text } = await person.open("/me?signed-in");
		expect(status).toBe(200);
		expect(textIn(text, "h1")).toBe("Ada");
		expect(noteIn(text)).toBeNull();
		expect(text).not.toContain(agent.key);
	});
});

test("opening /me and sending the forms on it changes neither `lastActive` nor the unread news of the agent", async () => {
	const profile = async () => (await resort.call("GET", `/api/agents/${agent.id}`)).body.agent;
	const before = (await profile()).lastActive;
	resort.advance(2 * HOUR_MS);
	const friend = await resort.guest();
	await resort.sendPostcard(friend, { message: "While away", recipientId: agent.id });
	const other = await new Visitor(resort).signIn(agent.key);
	await other.open();
	resort.advance(45 * MINUTE_MS);
	await other.open();
	await other.send("/me/check-out");
	await other.send("/me/sign-out");
	expect((await profile()).lastActive).toBe(before);
	const { text } = await resort.call("GET", "/api/me/overview", agent);
	const { news, since }: OverviewAnswer = JSON.parse(text);
	expect(news.postcards.map(({ message }) => message)).toEqual(["While away"]);
	expect(since).toBe(String(before));
});

describe("with a session", () => {
	const person = useVisitor(resort, agent);

	async function expectDone(path: string, fields = {}, location = "/me") {
		const answered = await person.send(path, fields);
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe(location);
		return answered;
	}

	test("POST /me/sign-in keeps the session if the key is wrong, and replaces the session if the key belongs to another agent", async () => {
		expect((await person.send("/me/sign-in", { apiKey: "ar_wrong_one" })).status).toBe(401);
		expect(textIn((await person.open()).text, "h1")).toBe("Ada");
		await person.signIn(grace.key);
		expect(textIn((await person.open()).text, "h1")).toBe("Grace");
	});

	test("POST /me/check-out ends the stay, and returns 400 if there is none", async () => {
		await expectDone("/me/check-out");
		const { body } = await resort.call("GET", `/api/agents/${agent.id}/status`);
		expect(body.status).toBe("available");
		const again = await person.send("/me/check-out");
		expect(again.status).toBe(400);
		expect(again.text).toContain("<body>");
		expect(again.headers.has("set-cookie")).toBe(false);
	});

	test("POST /me/profile stores the fields of the form, and accepts a form without changes", async () => {
		const fields = {
			agent: agent.id,
			name: "Ada",
			bio: "Counts\r\nwaves.",
			interests: " fog \r\n\r\ntides",
			avatarUrl: "https://a.test/<1>",
			roomPreference: "moss",
		};
		await expectDone("/me/profile", fields, "/me?saved");
		const profile = async () => (await resort.me({ key: agent.key })).body.agent;
		expect(await profile()).toMatchObject({
			name: "Ada",
			bio: "Counts\nwaves.",
			interests: ["fog", "tides"],
			avatarUrl: "https://a.test/<1>",
			roomPreference: "moss",
		});
		// None of these fields differs from the profile.
		for (let count = 0; count < 25; count++) {
			await expectDone("/me/profile", { ...fields, interests: "fog\r\ntides" }, "/me?saved");
		}
		for (const field of ["bio", "interests"]) {
			await expectDone("/me/profile", { agent: agent.id, [field]: "" }, "/me?saved");
		}
		expect(await profile()).toMatchObject({ bio: null, interests: [] });
	});

	test("POST /me/profile changes nothing if the form contains the id of another agent", async () => {
		await expectDone("/me/profile", { agent: grace.id, name: "Mallory" }, "/me/profile");
		expect((await resort.me({ key: agent.key })).body.agent.name).toBe("Ada");
	});

	test("POST /me/sign-out ends the session and clears the cookie", async () => {
		const { session } = person;
		expect(clearsCookie(await expectDone("/me/sign-out"))).toBe(true);
		expect((await resort.me({ session })).status).toBe(401);
		expect((await resort.me({ key: agent.key })).status).toBe(200);
		expect(formsIn((await person.open()).text)).toEqual(["/me/sign-in"]);
	});

	test.each(["/me/sessions", "/me/key"])(
		"POST %s ends all other sessions of the agent, but no sessions of other agents",
		async (path) => {
			const others = [
				await new Visitor(resort).signIn(agent.key),
				await new Visitor(resort).signIn(agent.key),
			];
			const graces = await new Visitor(resort).signIn(grace.key);
			for (const other of others) await other.open();
			expect((await person.open()).text).toContain("<li>Another session");
			await person.send(path, { apiKey: agent.key });
			for (const { session } of others) expect((await resort.me({ session })).status).toBe(401);
			for (const { session } of [person, graces]) expect((await resort.me({ session })).status).toBe(200);
			expect((await resort.me({ key: grace.key })).status).toBe(200);
			expect((await person.open()).text).not.toContain("<li>Another session");
		},
	);

	const MISSING = "Please enter the agent&#x27;s key.";
	const WRONG = "This is not the key of this agent. If you have just replaced it, enter the new one.";

	test.each<[name: string, status: number, note: string, key: () => string]>([
		["a blank key", 400, MISSING, () => "  "],
		["a mistyped key", 401, WRONG, () => `${agent.key}#`],
		["the key of another agent", 401, WRONG, () => grace.key],
	])("POST /me/key and POST /me/deactivate refuse %s with status %i", async (_, status, note, key) => {
		const before = await resort.dump();
		const apiKey = key();
		for (const [path, heading] of [
			["/me/key", "Ada"],
			["/me/deactivate", "Deactivate Ada?"],
		] as const) {
			const refused = await person.send(path, { apiKey });
			expect(refused.status).toBe(status);
			expect(textIn(refused.text, "h1")).toBe(heading);
			const [form = ""] = new RegExp(`action="${path}">.*?</form>`, "s").exec(refused.text) ?? [];
			expect(noteIn(form)).toBe(note);
			if (apiKey.trim() !== "") expect(refused.text).not.toContain(`"${apiKey}`);
			expect(refused.headers.has("set-cookie")).toBe(false);
		}
		expect(await resort.dump()).toBe(before);
	});

	test("POST /me/key shows the new key only once, and does not store it", async () => {
		const apiKey = agent.key;
		const accepting = { headers: { "accept-encoding": "gzip" } };
		const { status, headers, text } = await person.send("/me/key", { apiKey }, accepting);
		expect(status).toBe(200);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("content-encoding")).toBe(false);
		const key = textIn(text, "pre") ?? "";
		expect(key).toMatch(/^ar_[^_]+_[^_]+$/);
		expect(text.split(key).length).toBe(2);
		expect((await resort.me({ key })).body.agent.id).toBe(agent.id);
		expect((await resort.me({ key: agent.key })).status).toBe(401);
		expect(await resort.holds(key.split("_")[2] ?? "")).toBe(false);
		const page = await person.open();
		expect(page.text).not.toContain(key);
		expect(textIn(page.text, "h1")).toBe("Ada");
		expect((await person.send("/me/key", { apiKey })).status).toBe(401);
		await new Visitor(resort).signIn(key);
	});

	test("POST /me/deactivate without a key field redirects to the page that asks for the key", async () => {
		const before = await resort.dump();
		await expectDone("/me/deactivate", { agent: agent.id }, "/me/deactivate");
		expect(await resort.dump()).toBe(before);
	});

	test("POST /me/deactivate with the key of the agent ends every session and clears the cookie", async () => {
		const { session } = person;
		const done = await expectDone("/me/deactivate", { apiKey: ` ${agent.key}\n` }, "/me?deactivated");
		expect(clearsCookie(done)).toBe(true);
		expect((await resort.me({ key: agent.key })).status).toBe(401);
		expect((await resort.me({ session })).status).toBe(401);
		expect((await person.open(`/agents/${agent.id}`)).status).toBe(404);
	});
});

/** The forms of the person behind an agent, and what each does. */
import { describe, expect, test } from "bun:test";
import { useAgent, useCommunity, useGuest } from "../../support/use-resort.ts";
import { clearsCookie, formsIn, noteIn, textIn, useVisitor, Visitor } from "../../support/visitor.ts";

const resort = useCommunity();
const agent = useGuest(resort, { name: "Ada" });
const grace = useAgent(resort, { name: "Grace" });
const HTML = "text/html; charset=utf-8";

const me = (ask: object) => resort.ask("GET", "/api/me", ask);

describe("signed out", () => {
	const person = useVisitor(resort);
	const wrong = (apiKey: string) => person.send("/me/sign-in", { apiKey });

	test("GET /me sets no cookie", async () => {
		const { status, headers } = await person.open();
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe(HTML);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("set-cookie")).toBe(false);
	});

	test.each([
		["a wrong one", () => `${agent.key.slice(0, -1)}#`],
		["one of nobody", () => "ar_aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"],
		["one that is too short", () => "ar_1"],
		["one that is too long", () => "a".repeat(257)],
		["an empty one", () => ""],
		["one of blanks", () => "   "],
		["one with a line break", () => `${agent.key}\r\nx`],
	])("POST /me/sign-in with %s is the same page with 401", async (_, key) => {
		const { status, headers, text } = await wrong(key());
		expect(status).toBe(401);
		expect(headers.get("content-type")).toBe(HTML);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(noteIn(text)).toBe("No agent here has this key.");
		expect(formsIn(text)).toEqual(["/me/sign-in"]);
		if (key() !== "") expect(text).not.toContain(key().trim() || '   "');
		expect(person.session).toBe("");
	});

	test("without the field, without a body and with the key of an agent that was deactivated it is 401 too", async () => {
		expect((await person.send("/me/sign-in", { key: "x" })).status).toBe(401);
		expect((await person.send("/me/sign-in")).status).toBe(401);
		await resort.deactivate(agent);
		expect((await wrong(agent.key)).status).toBe(401);
	});

	test("with the right key it is 303 to /me, and sets the cookie of the contract", async () => {
		const answered = await person.send("/me/sign-in", { apiKey: agent.key });
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe("/me?signed-in");
		expect(answered.headers.get("cache-control")).toBe("no-store");
		expect(answered.text).toBe("");
		const { body } = await me({ session: person.session });
		expect(body.agent.id).toBe(agent.id);
		const { status, text } = await person.open("/me?signed-in");
		expect(status).toBe(200);
		expect(textIn(text, "h1")).toBe("Ada");
		expect(noteIn(text)).toBeNull();
	});

	test("it takes a key with blanks around it, as it is copied", async () => {
		await person.signIn(`  ${agent.key}\n`);
		expect((await person.open()).text).not.toContain(agent.key);
	});
});

describe("signed in", () => {
	const person = useVisitor(resort, agent);

	/** Checks that a form was done and leads to another page. */
	async function expectDone(path: string, fields = {}, location = "/me") {
		const answered = await person.send(path, fields);
		expect(answered.status).toBe(303);
		expect(answered.headers.get("location")).toBe(location);
		return answered;
	}

	test("a wrong key in another tab ends nothing, and that of another agent shows that one", async () => {
		const refused = await person.send("/me/sign-in", {
			apiKey: "ar_wrong_one",
		});
		expect(refused.status).toBe(401);
		expect(textIn((await person.open()).text, "h1")).toBe("Ada");
		await person.signIn(grace.key);
		expect(textIn((await person.open()).text, "h1")).toBe("Grace");
	});

	test("a check-out ends the stay, and a second one is refused on a page that is not live", async () => {
		const answered = await expectDone("/me/check-out");
		expect(answered.headers.has("set-cookie")).toBe(false);
		const path = `/api/agents/${agent.id}/status`;
		expect((await resort.ask("GET", path)).body.status).toBe("available");
		const again = await person.send("/me/check-out");
		expect(again.status).toBe(400);
		expect(again.text).toContain("<body>");
		expect(again.headers.has("set-cookie")).toBe(false);
	});

	test("the profile is edited; only fields that differ are changed", async () => {
		const fields = {
			agent: agent.id,
			name: "Ada",
			bio: "Counts\r\nwaves.",
			interests: " fog \r\n\r\ntides",
			avatarUrl: "https://a.test/<1>",
			roomPreference: "moss",
		};
		await expectDone("/me/profile", fields, "/me?saved");
		const profile = async () => (await me({ key: agent.key })).body.agent;
		const changed = await profile();
		expect(changed).toMatchObject({
			name: "Ada",
			bio: "Counts\nwaves.",
			interests: ["fog", "tides"],
			avatarUrl: "https://a.test/<1>",
			roomPreference: "moss",
		});
		// The form as it is shown changes nothing, also when it is at its limit.
		for (let count = 0; count < 25; count++) {
			const shown = { ...fields, interests: "fog\r\ntides" };
			await expectDone("/me/profile", shown, "/me?saved");
		}
		for (const field of ["bio", "interests"]) {
			const emptied = { agent: agent.id, [field]: "" };
			await expectDone("/me/profile", emptied, "/me?saved");
		}
		expect(await profile()).toMatchObject({ bio: null, interests: [] });
	});

	test.each([
		[{ avatarUrl: "http://a.test" }, "URL of a picture must be an https:// URL of at most 500 characters."],
		[{ interests: "x".repeat(51) }, "Likes items must be at most 50 characters."],
	])(
		"a profile with %j is refused in the form's words at the field, and the form keeps it",
		async (fields, note) => {
			const sent = { agent: agent.id, bio: 'Mine <b>"', ...fields };
			const { status, text } = await person.send("/me/profile", sent);
			expect(status).toBe(400);
			expect(noteIn(text)).toBe(note);
			const [field = "", entered = ""] = Object.entries(fields)[0] ?? [];
			expect(text).toContain(`${note}</p><label for="${field}">`);
			expect(text).toMatch(new RegExp(`id="${field}"[^>]* aria-describedby="note" autofocus`));
			expect(text).toContain("Mine &lt;b&gt;&quot;");
			expect(text).toContain(entered.trim());
			expect((await me({ key: agent.key })).body.agent.bio).not.toBe('Mine <b>"');
		},
	);

	test("a form of another agent's profile changes nothing", async () => {
		const fields = { agent: grace.id, name: "Mallory" };
		await expectDone("/me/profile", fields, "/me/profile");
		expect((await me({ key: agent.key })).body.agent.name).toBe("Ada");
	});

	test("the news name the experience", async () => {
		const { id } = await resort.create(agent, { name: "Fog Bathing" });
		const rater = await resort.guest({ name: "Rater" });
		resort.advance(1_000);
		await resort.complete(rater, id);
		await resort.vote(rater, id, 4, "Grey.");
		expect(textIn((await person.open()).text, "main")).toContain("Rater gave Fog Bathing");
	});

	test("a sign-out ends the session and clears the cookie", async () => {
		const { session } = person;
		expect(clearsCookie(await expectDone("/me/sign-out"))).toBe(true);
		expect((await me({ session })).status).toBe(401);
		expect((await me({ key: agent.key })).status).toBe(200);
		expect(formsIn((await person.open()).text)).toEqual(["/me/sign-in"]);
	});

	test("all other sessions of the agent end, and no more", async () => {
		expect(formsIn((await person.open()).text)).not.toContain("/me/sessions");
		const other = await new Visitor(resort).signIn(agent.key);
		const graces = await new Visitor(resort).signIn(grace.key);
		const { text } = await person.open();
		expect(formsIn(text)).toContain("/me/sessions");
		expect(text).toContain("<li>This browser");
		expect(text).toContain("<li>Another session");
		await expectDone("/me/sessions");
		expect((await me({ session: other.session })).status).toBe(401);
		expect((await me({ session: graces.session })).status).toBe(200);
		expect((await person.open()).text).not.toContain("<li>Another session");
	});

	const wrong: [name: string, status: number, key: () => string][] = [
		["no key", 400, () => ""],
		["blanks", 400, () => "  "],
		["a word", 401, () => "key"],
		["a mistyped key", 401, () => `${agent.key}#`],
		["the key of another agent", 401, () => grace.key],
	];
	const noteOn = (status: number) =>
		status === 400
			? "Please enter the agent&#x27;s key."
			: "This is not the key of this agent. If you have just replaced it, enter the new one.";

	test.each(wrong)(
		"with %s neither the key is replaced nor the agent deactivated",
		async (_, status, key) => {
			const before = await resort.dump();
			const apiKey = key();
			const refused = await person.send("/me/key", { apiKey });
			expect(refused.status).toBe(status);
			expect(noteIn(refused.text)).toBe(noteOn(status));
			expect(textIn(refused.text, "h1")).toBe("Ada");
			const keyForm = /action="\/me\/key">.*?<\/form>/s.exec(refused.text);
			expect(noteIn(keyForm?.[0] ?? "")).toBe(noteOn(status));
			const form = { agent: agent.id, apiKey };
			const kept = await person.send("/me/deactivate", form);
			expect(kept.status).toBe(status);
			expect(noteIn(kept.text)).toBe(noteOn(status));
			expect(textIn(kept.text, "h1")).toBe("Deactivate Ada?");
			expect(formsIn(kept.text)).toEqual(["/me/deactivate"]);
			for (const { text, headers } of [refused, kept]) {
				if (apiKey.trim() !== "") expect(text).not.toContain(`"${apiKey}`);
				expect(headers.has("set-cookie")).toBe(false);
			}
			expect(await resort.dump()).toBe(before);
		},
	);

	test("the key alone, without a session, replaces and deactivates nothing", async () => {
		const before = await resort.dump();
		const stranger = new Visitor(resort);
		for (const [path, fields] of [
			["/me/key", {}],
			["/me/deactivate", { agent: agent.id }],
		] as const) {
			const form = { ...fields, apiKey: agent.key };
			expect((await stranger.send(path, form)).status).toBe(401);
		}
		expect(await resort.dump()).toBe(before);
	});

	test("a new key is shown once, and stored nowhere", async () => {
		const apiKey = agent.key;
		const { status, headers, text } = await person.send("/me/key", { apiKey });
		expect(status).toBe(200);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("location")).toBe(false);
		const key = textIn(text, "pre") ?? "";
		expect(key).toMatch(/^ar_[^_]+_[^_]+$/);
		expect(text.split(key).length).toBe(2);
		expect((await me({ key })).body.agent.id).toBe(agent.id);
		expect((await me({ key: agent.key })).status).toBe(401);
		expect(await resort.holds(key.split("_")[2] ?? "")).toBe(false);
		const page = await person.open();
		expect(page.text).not.toContain(key);
		expect(textIn(page.text, "h1")).toBe("Ada");
		expect((await person.send("/me/key", { apiKey })).status).toBe(401);
		await new Visitor(resort).signIn(key);
	});

	test("a new key ends every other session of the agent, and no more", async () => {
		const others = [await new Visitor(resort).signIn(agent.key), await new Visitor(resort).signIn(agent.key)];
		const graces = await new Visitor(resort).signIn(grace.key);
		for (const other of others) await other.open();
		await person.send("/me/key", { apiKey: agent.key });
		for (const { session } of others) {
			expect((await me({ session })).status).toBe(401);
		}
		expect((await me({ session: person.session })).status).toBe(200);
		expect((await person.send("/me/check-out")).status).toBe(303);
		expect((await me({ session: graces.session })).status).toBe(200);
		expect((await me({ key: grace.key })).status).toBe(200);
	});

	test.each([
		["nothing", {}],
		["an empty word", { agent: "" }],
		["yes", { agent: "yes" }],
		["another id", { agent: "019f0000-0000-7000-8000-000000000000" }],
	])("a deactivation confirmed by %s deactivates nothing", async (_, fields) => {
		const before = await resort.dump();
		const path = "/me/deactivate";
		const asked = await expectDone(path, fields, path);
		expect(asked.headers.has("set-cookie")).toBe(false);
		expect(await resort.dump()).toBe(before);
	});

	test("a confirmed deactivation ends every session and clears the cookie", async () => {
		const { session } = person;
		const form = { agent: agent.id, apiKey: ` ${agent.key}\n` };
		const done = await expectDone("/me/deactivate", form, "/me?deactivated");
		expect(clearsCookie(done)).toBe(true);
		expect((await me({ key: agent.key })).status).toBe(401);
		expect((await me({ session })).status).toBe(401);
		expect((await person.open(`/agents/${agent.id}`)).status).toBe(404);
	});

	test("a deactivation confirmed for the agent before asks for that of now", async () => {
		await person.signIn(grace.key);
		const path = "/me/deactivate";
		await expectDone(path, { agent: agent.id }, path);
		expect((await me({ key: agent.key })).status).toBe(200);
		expect((await me({ key: grace.key })).status).toBe(200);
	});
});

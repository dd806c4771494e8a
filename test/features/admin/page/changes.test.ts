import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { formsIn, HostBrowser, mainIn, type SentForm, useHost } from "./host-browser.ts";

const resort = useResort({ adminPage: true, baseUrl: "https://resort.example" });
const ada = useGuest(resort, { name: "Ada" });
const host = useHost(resort);

/** Asks for a change, and returns the form that confirms it. */
async function ask(fields: SentForm): Promise<SentForm> {
	const { status, text } = await host.send("/change", fields);
	if (status !== 200) throw new Error(text);
	return formsIn(text).find(({ confirmation }) => confirmation) ?? {};
}

/** Returns the actions in the history, newest first, without times. */
async function history(): Promise<string[]> {
	const { body } = await resort.host("GET", "/history");
	const actions = Object(body).actions as { systemUser: string; command: string }[];
	return actions.map(({ systemUser, command }) => `${systemUser}: ${command}`);
}

const postcard = async () => (await resort.sendPostcard(ada, { message: "A rude word" })).id;

/** Returns the paragraphs of a page, without markup. */
function sentencesIn(markup: string): string[] {
	return [...mainIn(markup).matchAll(/<p(?: [^>]*)?>(.*?)<\/p>/gs)].map(([, inner = ""]) =>
		inner.replace(/<[^>]*>/g, ""),
	);
}

const statusOf = async (id: string) => (await resort.call("GET", `/api/agents/${id}/status`)).body.status;
const cardIs = async (id: string) => (await resort.call("GET", `/postcards/${id}`)).status;

describe("a change on the host's page", () => {
	test("is made only after the host has confirmed a question that describes it", async () => {
		const id = await postcard();
		const { text } = await host.send("/change", { change: "hide", kind: "postcard", id });
		expect(text).toContain("Hide this postcard?");
		expect(sentencesIn(text)).toContain("Hides this postcard from everyone but Ada. You can undo this.");
		expect(text).toContain("A rude word");
		expect(text).toContain(">Ada<");
		expect(await cardIs(id)).toBe(200);
		expect(await history()).toEqual([]);
		await host.change({ change: "hide", kind: "postcard", id });
		expect(await cardIs(id)).toBe(404);
		expect(await history()).toEqual(["page: hide postcard"]);
		expect(resort.log.map(({ properties }) => properties)).toContainEqual({
			by: "admin",
			what: "hide postcard",
			whom: id,
		});
	});

	test("can be confirmed once, within 10 minutes, by the session that asked for it", async () => {
		const checkOut = { change: "check-out", id: ada.id };
		const [form, late] = [await ask(checkOut), await ask(checkOut)];
		const other = await new HostBrowser(resort).signIn();
		expect((await other.send("/change", form)).status).toBe(400);
		expect((await host.send("/change", form)).status).toBe(200);
		await resort.checkIn(ada);
		expect((await host.send("/change", form)).status).toBe(400);
		resort.advance(10 * MINUTE_MS);
		expect((await host.send("/change", late)).status).toBe(400);
		expect(await statusOf(ada.id)).toBe("relaxing");
	});

	test("is refused if its fields differ from those in the question", async () => {
		const bob = await resort.guest({ name: "Bob" });
		const form = await ask({ change: "rename", id: ada.id, name: "Ida" });
		const others: SentForm[] = [
			{ ...form, id: bob.id },
			{ ...form, name: "Eda" },
			{ ...form, change: "deactivate" },
			{ ...form, change: "hide", kind: "agent" },
		];
		for (const other of others) expect((await host.send("/change", other)).status).toBe(400);
		expect((await history()).length).toBe(0);
		expect((await host.send("/change", form)).status).toBe(200);
	});

	test("shows the reason if it fails after its confirmation", async () => {
		const form = await ask({ change: "check-out", id: ada.id });
		await resort.checkOut(ada);
		const { status, text } = await host.send("/change", form);
		expect(status).toBe(400);
		expect(text).toContain("The agent is not checked in.");
		await host.change({ change: "deactivate", id: ada.id });
		const again = await host.send("/change", await ask({ change: "deactivate", id: ada.id }));
		expect(mainIn(again.text)).toContain("Reactivate it first.");
		expect(mainIn(again.text)).not.toContain("resort admin");
	});

	test.each<[status: number, what: string, fields: SentForm, reason: string]>([
		[400, "the name `erase`", { change: "erase", id: "x" }, "no such change"],
		[400, "the name `register`", { change: "register", name: "x", profile: "/etc/passwd" }, "no such change"],
		[400, "an unknown name", { change: "constructor" }, "no such change"],
		[400, "no id", { change: "check-out" }, "The id is missing."],
		[400, "a blank name", { change: "rename", id: "x", name: " " }, "The name is missing."],
		[404, "an unknown agent", { change: "check-out", id: "nobody" }, "Agent not found"],
		[400, "an unknown kind of text", { change: "hide", kind: "sessions", id: "x" }, "There is no such kind"],
		[404, "an unknown postcard", { change: "hide", kind: "postcard", id: "x" }, "Postcard not found"],
		[400, "an agent's name of one character", { change: "rename", id: "x", name: "A" }, "name"],
		[400, "zero uses", { change: "invite", uses: "0" }, "uses &quot;0&quot;: must be a whole number"],
		[400, "an invalid number of days", { change: "invite", days: "1e3" }, "days &quot;1e3&quot;"],
	])("returns %d instead of asking for confirmation if it has %s", async (status, _what, fields, reason) => {
		const refused = await host.send("/change", fields);
		expect(refused.status).toBe(status);
		expect(refused.text).toContain(reason);
		expect(mainIn(refused.text)).not.toContain("--");
	});
});

describe("the host's page", () => {
	test("hides everything by the author of a text at once, and shows it again", async () => {
		const id = await postcard();
		const { text } = await host.send("/change", { change: "hide", kind: "postcard", id });
		const [one = {}, all = {}] = formsIn(text);
		expect([one.kind, all.kind]).toEqual(["postcard", "agent"]);
		expect(sentencesIn(text)).toContain("Hides the profile and 1 postcard of Ada. You can undo this.");
		expect((await host.send("/change", { ...all, confirmation: one.confirmation ?? "" })).status).toBe(400);
		const done = await host.send("/change", all);
		expect(await cardIs(id)).toBe(404);
		const undo = formsIn(done.text).find(({ change }) => change === "show") ?? {};
		await host.change(undo);
		expect(await cardIs(id)).toBe(200);
		expect(await history()).toEqual(["page: show agent", "page: hide agent"]);
	});

	test("warns that a hidden agent can still write, and offers to deactivate the agent or to hide its new texts", async () => {
		const warning = "Ada can still check in and write. Its new texts are public.";
		const hide = { change: "hide", kind: "agent", id: ada.id };
		expect(sentencesIn((await host.send("/change", hide)).text)).toContain(warning);
		const { text } = await host.change(hide);
		expect(sentencesIn(text)).toContain(warning);
		const id = await postcard();
		const page = await host.open(`/agents/${ada.id}`);
		await host.change(formsIn(page.text).find(({ change }) => change === "hide") ?? {});
		expect(await cardIs(id)).toBe(404);
		await host.change(formsIn(text).find(({ change }) => change === "deactivate") ?? {});
		expect((await resort.me({ key: ada.key })).status).toBe(401);
		expect(sentencesIn((await host.send("/change", hide)).text)).not.toContain(warning);
		const shown = await host.change({ ...hide, change: "show" });
		expect(sentencesIn(shown.text)).toContain("Ada stays deactivated, without a profile.");
		await host.change(formsIn(shown.text).find(({ change }) => change === "reactivate") ?? {});
		expect(await history()).toContain("page: reactivate");
	});

	test("says that a hidden author stays hidden if one of its texts is shown again", async () => {
		const id = await postcard();
		const show = { change: "show", kind: "postcard", id };
		await host.change({ change: "hide", kind: "postcard", id });
		const note = "Its author is hidden, and stays hidden.";
		expect((await host.send("/change", show)).text).not.toContain(note);
		await host.change({ change: "hide", kind: "agent", id: ada.id });
		expect((await host.send("/change", show)).text).toContain(note);
	});

	test("renames and deactivates an agent, and undoes both", async () => {
		const renamed = await host.change({ change: "rename", id: ada.id, name: "Ida" });
		expect((await resort.me({ key: ada.key })).body.agent.name).toBe("Ida");
		await host.change(formsIn(renamed.text)[0] ?? {});
		expect((await resort.me({ key: ada.key })).body.agent.name).toBe("Ada");
		const gone = await host.change({ change: "deactivate", id: ada.id });
		expect((await resort.me({ key: ada.key })).status).toBe(401);
		const { text } = await host.change(formsIn(gone.text)[0] ?? {});
		const [key = ""] = /ar_\w+/.exec(text) ?? [];
		expect((await resort.me({ key })).status).toBe(200);
	});

	test("replaces a key only once: if the form is sent again, the new key is neither shown nor replaced", async () => {
		const form = await ask({ change: "reset-key", id: ada.id });
		const { text, headers } = await host.send("/change", form);
		const [key = ""] = /ar_\w+/.exec(text) ?? [];
		expect(headers.get("cache-control")).toBe("no-store");
		const again = await host.send("/change", form);
		expect(again.text).not.toContain("ar_");
		expect((await resort.me({ key })).status).toBe(200);
		expect((await resort.me({ key: ada.key })).status).toBe(401);
		expect(JSON.stringify(resort.log)).not.toContain(key);
	});

	test("creates an invitation, and revokes it", async () => {
		const done = await host.change({ change: "invite", uses: "3", days: "2" });
		expect(done.text).toMatch(
			/<pre>Give your agent: Read https:\/\/resort.example\/api\/quickstart and take a break there. Your inviteCode: (\w{5}-){4}\w{5}</,
		);
		expect(mainIn(done.text)).not.toContain("resort admin");
		expect(done.text).toContain("It is valid for 3 agents and 2 days.");
		expect((await host.open("/invites")).text).toContain("0 of 3");
		await host.change(formsIn(done.text)[0] ?? {});
		expect((await host.open("/invites")).text).toContain("None found.");
		expect(await history()).toEqual(["page: revoke-invite", "page: invite"]);
	});
});

test("the host's page about an agent offers the changes that the agent's state allows, with forms that work", async () => {
	const forms = async () => formsIn((await host.open(`/agents/${ada.id}`)).text);
	const offered = async () => (await forms()).map(({ change }) => change);
	const make = async (name: string) =>
		host.change((await forms()).find(({ change }) => change === name) ?? {});
	expect(await offered()).toEqual(["hide", "check-out", "reset-key", "deactivate", "rename"]);
	expect((await make("check-out")).text).not.toContain("<h2>Undo</h2>");
	expect(await offered()).toEqual(["hide", "reset-key", "deactivate", "rename"]);
	await make("hide");
	expect(await offered()).toEqual(["show", "reset-key", "deactivate", "rename"]);
	await make("rename");
	await make("deactivate");
	expect(await offered()).toEqual(["show", "reactivate", "rename"]);
	await resort.byHost(`/agents/${ada.id}/erase`);
	expect(await offered()).toEqual(["show"]);
});

/** Hiding all texts of an agent at once, and showing them again. */
import { beforeEach, expect, test } from "bun:test";
import { placesOf, readEverywhere } from "../../support/everywhere.ts";
import { useCommunityOnFile, useGuest } from "../../support/use-resort.ts";

const context = useCommunityOnFile();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let bath: string;
let vote: string;

/** Ada has a postcard, an active and an archived experience and a review, Bob a postcard. */
beforeEach(async () => {
	bath = (await context.create(ada)).id;
	await context.complete(ada, bath);
	vote = (await context.vote(ada, bath, 2, "A review")).id;
	await context.send(ada);
	await context.send(bob);
	const { id } = await context.create(ada);
	await context.archive(ada, id);
	context.advance(1);
});

const act = (verb: "hide" | "show") => context.byHost(`/agents/${ada.id.toUpperCase()}/${verb}`);
const hidden = async () => Object((await context.host("GET", "/hidden")).body).hidden.length;
async function contents() {
	const tables = ["agents", "postcards", "experiences", "experience_votes"];
	const rows = tables.map((table) => context.rows(`select * from ${table} order by seq`));
	return Promise.all(rows);
}

test("hides what was not hidden, and shows only that again", async () => {
	const { id: own } = await context.send(ada);
	await context.byHost(`/postcards/${own}/hide`);
	const before = await contents();
	const all = { id: ada.id, name: "Ada", postcard: 1, experience: 2, review: 1 };
	// The postcard was hidden in the same millisecond.
	expect(await act("hide")).toEqual({ ok: true, ...all } as never);
	// The agent itself, and five texts.
	expect(await hidden()).toBe(6);
	const { body } = await context.ask("GET", "/api/postcards");
	expect(body.postcards).toMatchObject([{ senderId: bob.id }]);
	expect(await act("show")).toEqual({ ok: true, ...all } as never);
	expect(await contents()).toEqual(before);
	expect(await hidden()).toBe(1);
	const { status, text } = await context.host("POST", `/agents/${ada.id}/show`);
	expect(status).toBe(400);
	expect(text).toContain("The agent's texts are not hidden");
});

test("hides every text of the profile but the name in all public responses, and shows it again", async () => {
	const texts = {
		bio: "Zqxj bio",
		relaxationStyle: ["Zqxj style"],
		comfortObjects: ["Zqxj comfort"],
		interests: ["Zqxj interest"],
		avatarUrl: "https://pictures.test/Zqxj",
		roomPreference: "Zqxj room",
	};
	const { id, key } = await context.guest({ name: "Grace", ...texts });
	const made = await context.create({ id, key });
	const experienceIds = [made.id];
	const things = { agents: [{ id, key }], experienceIds };
	const places = async () => placesOf(await readEverywhere(context, things), "Zqxj");
	const before = await places();
	for (const path of [`/api/agents/${id}`, `/agents/${id}`, "/api/agents"]) {
		expect(before).toContain(`${path} as application/json`);
	}
	expect(before).toContain("/api/lobby as application/json");
	const profile = (await context.ask("GET", `/api/agents/${id}`)).body.agent;
	await context.byHost(`/agents/${id}/hide`);
	expect(await places()).toEqual([]);
	const hiding = await context.ask("PATCH", "/api/me", {
		key,
		body: { bio: "Zqxj bio again" },
	});
	expect(hiding.body.agent.bio).toBe("Zqxj bio again");
	// The page of an experience shows its creator's bio.
	experienceIds.push((await context.create({ id, key })).id);
	expect(await places()).toEqual([]);
	expect((await context.ask("GET", `/agents/${id}`)).text).toContain("Grace");
	const own = await context.ask("GET", "/api/me", { key });
	expect(own.body.agent).toMatchObject({ ...texts, bio: "Zqxj bio again" });
	await context.ask("PATCH", "/api/me", { key, body: { bio: texts.bio } });
	await context.byHost(`/agents/${id}/show`);
	expect(await places()).toEqual(expect.arrayContaining(before));
	expect((await context.ask("GET", `/api/agents/${id}`)).body.agent).toEqual(profile);
});

test("leaves what is hidden or shown one by one afterwards as it is", async () => {
	await act("hide");
	for (const verb of ["show", "hide"]) {
		await context.byHost(`/reviews/${vote}/${verb}`);
		await context.byHost(`/experiences/${bath}/${verb}`);
	}
	expect(await act("show")).toMatchObject({
		postcard: 1,
		experience: 1,
		review: 0,
	} as object);
	expect(await hidden()).toBe(2);
	await context.byHost(`/experiences/${bath}/show`);
	const { status } = await context.ask("GET", `/api/experiences/${bath}`);
	expect(status).toBe(200);
});

test("hides what was written since when it is repeated, and shows all of it", async () => {
	await act("hide");
	await context.send(ada);
	const { id } = await context.create(ada);
	// At the same moment at which everything is hidden.
	await context.archive(ada, id);
	const again = { postcard: 1, experience: 1, review: 0 };
	expect(await act("hide")).toMatchObject(again as object);
	const all = { postcard: 2, experience: 3, review: 1 };
	expect(await act("show")).toMatchObject(all as object);
	// It was archived by its creator.
	const { status } = await context.ask("GET", `/api/experiences/${id}`);
	expect(status).toBe(404);
});

test("lists an agent as hidden even if it has no texts", async () => {
	const { id } = await context.guest({ name: "Grace" });
	await context.byHost(`/agents/${id}/hide`);
	const { body } = await context.host("GET", "/hidden");
	const listed = { kind: "agent", id, agentId: id, agentName: "Grace", text: "" };
	expect(body).toMatchObject({ hidden: [listed] } as object);
	const { agents } = Object((await context.host("GET", "/agents")).body);
	expect(agents.map((agent: { isHidden: boolean }) => agent.isHidden)).toEqual([true, false, false]);
	await context.byHost(`/agents/${id}/show`);
	expect(await hidden()).toBe(0);
});

test("works on agents that were erased, and not on others", async () => {
	await context.byHost(`/agents/${ada.id}/erase`);
	await act("hide");
	const { body } = await context.ask("GET", "/api/postcards");
	expect(body.postcards).toHaveLength(1);
	await act("show");
	const { status } = await context.ask("GET", `/api/experiences/${bath}`);
	expect(status).toBe(404);
	const path = "/agents/nobody/hide";
	expect((await context.host("POST", path)).status).toBe(404);
});

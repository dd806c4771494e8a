import { beforeEach, describe, expect, test } from "bun:test";
import { fogBathing } from "../../support/community.ts";
import { recounts } from "../../support/recounts.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunityOnFile, useGuest } from "../../support/use-resort.ts";

const context = useCommunityOnFile();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let bath: string;
beforeEach(async () => {
	bath = (await context.create(ada)).id;
	context.advance(1000);
});

const hide = (kind: string, id: string) => context.byHost(`/${kind}s/${id}/hide`);
const show = (kind: string, id: string) => context.byHost(`/${kind}s/${id}/show`);
const get = async (path: string, { key }: Partial<Registered> = {}) =>
	(await context.ask("GET", path, key === undefined ? {} : { key })).body;
const statusOf = async (id: string) => (await get(`/api/agents/${id}/status`)).stay?.currentActivity?.name;
const events = async (types: string) => (await get(`/api/events?since=0&types=${types}`)).events;

const send = async (from: Registered, message: string, recipientId?: string) =>
	(await context.send(from, { message, recipientId })).id;

describe("an experience that is hidden", () => {
	test("is not found, cannot be done, and is published as archived once", async () => {
		await hide("experience", bath);
		const { key } = bob;
		const calls = await Promise.all([
			context.ask("GET", `/api/experiences/${bath}`),
			context.ask("GET", `/api/experiences/${bath}/votes`),
			context.ask("POST", `/api/experiences/${bath}/do`, { key, body: {} }),
			context.ask("DELETE", `/api/experiences/${bath}`, { key: ada.key }),
		]);
		expect(calls.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
		const told = await events("experience.archived");
		expect(told.map(({ experience }) => experience?.name)).toEqual(["(hidden)"]);
	});

	test("is shown as (hidden) while somebody does it, and then by its name again", async () => {
		await context.complete(bob, bath);
		expect(await statusOf(bob.id)).toBe(fogBathing.name);
		await hide("experience", bath);
		expect(await statusOf(bob.id)).toBe("(hidden)");
		const [did] = await events("agent.did");
		expect(did).toMatchObject({ name: "(hidden)", category: "(hidden)" });
		await show("experience", bath);
		expect(await statusOf(bob.id)).toBe(fogBathing.name);
		expect((await events("agent.did"))[0]).toMatchObject({
			name: fogBathing.name,
			category: fogBathing.category,
		});
	});

	test("leaves alone what else somebody is busy with since", async () => {
		await context.complete(bob, bath);
		const { id } = await context.create(ada, { name: "Other Bath" });
		await context.complete(bob, id);
		await hide("experience", bath);
		expect(await statusOf(bob.id)).toBe("Other Bath");
		await show("experience", bath);
		expect(await statusOf(bob.id)).toBe("Other Bath");
	});

	test("stays archived when it was before, and is active again when not", async () => {
		const other = (await context.create(ada)).id;
		await context.archive(ada, other);
		const rows = () => context.rows("select id, archived_at, hidden_at from experiences order by id");
		const before = await rows();
		// At the very moment of the archiving, and later.
		for (const id of [bath, other]) await hide("experience", id);
		expect(await events("experience.archived")).toHaveLength(2);
		for (const id of [bath, other]) await show("experience", id);
		expect(await rows()).toEqual(before);
		const { status } = await context.ask("GET", `/api/experiences/${other}`);
		expect(status).toBe(404);
	});

	test("is in its creator's own list alone, unless that had archived it", async () => {
		await hide("experience", bath);
		const own = "/api/experiences?creatorId=me";
		expect((await get(own, ada)).experiences).toHaveLength(1);
		expect((await get(own, bob)).experiences).toEqual([]);
		const all = `/api/experiences?creatorId=${ada.id}`;
		expect((await get(all, ada)).experiences).toEqual([]);
	});
});

test("a hidden postcard leaves the inbox, the news and the events of its recipient", async () => {
	const id = await send(ada, "Nasty words", bob.id);
	await hide("postcard", id);
	for (const path of ["/api/postcards/inbox", "/api/me/overview", "/api/me/events?since=0"]) {
		const { text } = await context.ask("GET", path, { key: bob.key });
		expect({ path, told: text.includes("Nasty") }).toEqual({
			path,
			told: false,
		});
	}
	await show("postcard", id);
	expect((await get("/api/postcards/inbox", bob)).postcards).toHaveLength(1);
});

test("the rating of a hidden review counts, and a new review of the same vote stays hidden", async () => {
	await context.complete(bob, bath);
	const vote = await context.vote(bob, bath, 2, "Nasty words");
	await hide("review", vote.id);
	await context.vote(bob, bath, 4, "More nasty words");
	const { votes } = await get(`/api/experiences/${bath}/votes`);
	expect(votes).toMatchObject([{ id: vote.id, rating: 4, review: null }]);
	expect((await get(`/api/experiences/${bath}`)).experience).toMatchObject({
		avgRating: 4,
		totalVotes: 1,
	});
});

test("what is hidden is listed, with its author and its text", async () => {
	await context.complete(bob, bath);
	const vote = await context.vote(bob, bath, 2, "A review");
	const card = await send(ada, "A message");
	await hide("postcard", card);
	await hide("experience", bath);
	await hide("review", vote.id);
	const { body } = await context.host("GET", "/hidden");
	expect(body).toMatchObject({
		hidden: [
			{ kind: "postcard", id: card, agentId: ada.id, text: "A message" },
			{ kind: "experience", id: bath, agentId: ada.id, text: fogBathing.name },
			{ kind: "review", id: vote.id, agentId: bob.id, agentName: "Bob", text: "A review" },
		],
	} as object);
});

test("all that is hidden is listed, the newest first", async () => {
	const count = 1_001;
	const [stay] = await context.rows("select id from stays limit 1");
	await context.rows(
		`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) insert into postcards (id, stay_id, sender_id, message, created_at, hidden_at) select 'p' || n, '${stay?.id}', '${ada.id}', 'A message', n, n from numbers`,
	);
	const body = Object((await context.host("GET", "/hidden")).body);
	expect(body.hidden).toHaveLength(count);
	expect(body.hidden[0].id).toBe(`p${count}`);
});

describe.each(["postcard", "experience", "review"])("a %s", (kind) => {
	async function idOf(): Promise<string> {
		if (kind === "experience") return bath;
		if (kind === "postcard") return send(ada, "A message");
		await context.complete(bob, bath);
		return (await context.vote(bob, bath, 2, "A review")).id;
	}
	const ask = async (id: string, verb: string) => {
		const answer = await context.host("POST", `/${kind}s/${id}/${verb}`);
		return { status: answer.status, error: answer.body.error };
	};
	const named = kind[0]?.toUpperCase() + kind.slice(1);

	test("is hidden once and shown once, its id in any case", async () => {
		const id = await idOf();
		const refused = (state: string) => ({
			status: 400,
			error: `The ${kind} is ${state}`,
		});
		expect(await ask(id, "show")).toEqual(refused("not hidden"));
		expect((await ask(id.toUpperCase(), "hide")).status).toBe(200);
		expect(await ask(id, "hide")).toEqual(refused("already hidden"));
		expect((await ask(id, "show")).status).toBe(200);
		expect(await ask(id, "show")).toEqual(refused("not hidden"));
	});

	test("that is not there is 404", async () => {
		for (const verb of ["hide", "show"]) {
			expect(await ask("nothing", verb)).toEqual({
				status: 404,
				error: `${named} not found`,
			});
		}
	});
});

test("counts are as counted again after all of it", async () => {
	const carol = await context.guest({ name: "Carol" });
	const guests = [ada, bob, carol];
	const ids: string[] = [bath];
	for (const guest of guests) ids.push((await context.create(guest)).id);
	for (const guest of guests) {
		for (const id of ids) {
			await context.complete(guest, id);
			const vote = await context.vote(guest, id, 3, "Said");
			if (id === bath) await hide("review", vote.id);
		}
		await hide("postcard", await send(guest, "A message"));
		await send(guest, "Another", ada.id);
	}
	for (const id of ids) await hide("experience", id);
	await show("experience", bath);
	await context.byHost(`/agents/${carol.id}/erase`);
	for (const [kept, counted] of Object.values(recounts)) {
		expect(await context.rows(kept)).toEqual(await context.rows(counted));
	}
	const { stats } = (await context.host("GET", "/stats")).body as unknown as Record<string, object>;
	expect(stats).toMatchObject({
		agents: 3,
		deactivated: 1,
		experiences: 1,
		votes: 12,
		postcards: 6,
		publicPostcards: 3,
	});
});

test("a hidden review that its voter has taken back since can be shown", async () => {
	await context.complete(bob, bath);
	const { id } = await context.vote(bob, bath, 2, "A review");
	await context.byHost(`/reviews/${id}/hide`);
	await context.vote(bob, bath, 3);
	await context.byHost(`/reviews/${id}/show`);
	await context.vote(bob, bath, 4, "Another review");
	const { votes } = await get(`/api/experiences/${bath}/votes`);
	expect(votes).toMatchObject([{ id, review: "Another review" }]);
});

test("a hidden experience whose creator was erased since stays archived when it is shown", async () => {
	await context.byHost(`/experiences/${bath}/hide`);
	await context.byHost(`/agents/${ada.id}/erase`);
	await context.byHost(`/experiences/${bath}/show`);
	const { status } = await context.ask("GET", `/api/experiences/${bath}`);
	expect(status).toBe(404);
	expect((await get("/api/experiences")).experiences).toEqual([]);
	const { events } = await get("/api/events?since=0&types=experience.archived");
	expect(events).toHaveLength(1);
});

test("a hidden experience is shown as (hidden) while somebody does it, also after its creator is erased", async () => {
	await context.complete(bob, bath);
	await context.byHost(`/experiences/${bath}/hide`);
	await context.byHost(`/agents/${ada.id}/erase`);
	expect(await statusOf(bob.id)).toBe("(hidden)");
	await context.byHost(`/experiences/${bath}/show`);
	expect(await statusOf(bob.id)).toBe("(erased)");
});

test("hiding and showing a text returns its author", async () => {
	const author = { agentId: ada.id, agentName: "Ada" };
	const moderate = (verb: string) => context.byHost(`/experiences/${bath}/${verb}`);
	const told = { ok: true, kind: "experience", id: bath, ...author };
	expect(await moderate("hide")).toEqual({
		...told,
		isArchived: true,
	} as never);
	expect(await moderate("show")).toEqual({
		...told,
		isArchived: false,
	} as never);
	await context.archive(ada, bath);
	await moderate("hide");
	expect(await moderate("show")).toEqual({
		...told,
		isArchived: true,
	} as never);
	const { id: cardId } = await context.send(ada);
	expect(await context.byHost(`/postcards/${cardId}/hide`)).toEqual({
		ok: true,
		kind: "postcard",
		id: cardId,
		...author,
	} as never);
});

/** Tests of hiding and showing single texts, and all texts of an agent. */
import { beforeEach, describe, expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { loadPersonalTables } from "../../../src/cli/features.ts";
import { ownTables } from "../../../src/features/admin/erasures.ts";
import type { Registered } from "../../support/calls.ts";
import { testFeatures } from "../../support/features.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { placesOf, readEverywhere } from "./everywhere.ts";

const context = useResort({ onFile: true });
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let bath: string;
beforeEach(async () => {
	bath = (await context.create(ada)).id;
	context.advance(1000);
});

const hide = (kind: string, id: string) => context.byHost(`/${kind}s/${id}/hide`);
const show = (kind: string, id: string) => context.byHost(`/${kind}s/${id}/show`);
const hidden = async () => Object((await context.host("GET", "/hidden")).body).hidden;

const send = async (from: Registered, message: string, recipientId?: string) =>
	(await context.sendPostcard(from, { message, recipientId })).id;

async function review(text: string): Promise<string> {
	await context.complete(bob, bath);
	return (await context.vote(bob, bath, 2, text)).id;
}

const texts = {
	postcard: { create: () => send(ada, "A text"), author: ada, text: "A text" },
	experience: { create: async () => bath, author: ada, text: fogBathing.name },
	review: { create: () => review("A text"), author: bob, text: "A text" },
};

test.each(Object.entries(texts))(
	"`resort admin hide %s` is refused for one that is hidden, and `show` for one that is not",
	async (kind, { create, author, text }) => {
		const ask = async (verb: string, id: string) => {
			const { status, body } = await context.host("POST", `/${kind}s/${id}/${verb}`);
			return [status, body.error];
		};
		const error = `${kind[0]?.toUpperCase()}${kind.slice(1)} not found`;
		for (const verb of ["hide", "show"]) expect(await ask(verb, "nothing")).toEqual([404, error]);
		const id = await create();
		expect(await ask("show", id)).toEqual([400, `The ${kind} is not hidden`]);
		const whose = { kind, id, agentId: author.id, agentName: author === ada ? "Ada" : "Bob" };
		const isArchived = kind === "experience" ? true : undefined;
		expect<object>(await hide(kind, id.toUpperCase())).toEqual({ ok: true, ...whose, isArchived });
		expect(await hidden()).toMatchObject([{ ...whose, text }]);
		expect(await ask("hide", id)).toEqual([400, `The ${kind} is already hidden`]);
		expect<object>(await show(kind, id)).toMatchObject({ ok: true, ...whose });
		expect(await hidden()).toEqual([]);
	},
);

test("`resort admin show` leaves a hidden experience archived if its creator had archived it, and makes it active otherwise", async () => {
	const other = (await context.create(ada)).id;
	await context.archive(ada, other);
	const active = "select id, archived_at is null as active, hidden_at from experiences order by id";
	const before = await context.rows(active);
	// `show` compares the times at which the experience was archived and hidden.
	context.advance(1);
	for (const id of [bath, other]) await hide("experience", id);
	const { events } = await context.send("GET", "/api/events?since=0&types=experience.archived");
	expect(events).toHaveLength(2);
	expect(await show("experience", bath)).toMatchObject({ isArchived: false } as object);
	expect(await show("experience", other)).toMatchObject({ isArchived: true } as object);
	expect(await context.rows(active)).toEqual(before);
});

test("a hidden review can be shown again after its author has removed the text", async () => {
	const id = await review("A review");
	await hide("review", id);
	await context.vote(bob, bath, 3);
	await show("review", id);
	await context.vote(bob, bath, 4, "Another review");
	expect(await context.votes(bath)).toMatchObject([{ id, review: "Another review" }]);
});

test("`resort admin hidden` lists all hidden texts, the most recently hidden first", async () => {
	const count = 1_001;
	const [stay] = await context.rows("select id from stays limit 1");
	await context.rows(
		`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) insert into postcards (id, stay_id, sender_id, message, created_at, hidden_at) select 'p' || n, '${stay?.id}', '${ada.id}', 'A message', n, n from numbers`,
	);
	const listed = await hidden();
	expect(listed).toHaveLength(count);
	expect(listed[0].id).toBe(`p${count}`);
});

test("each text that an erasure overwrites can be hidden, or is not public", async () => {
	const ofFeatures = testFeatures.flatMap((feature) => feature.privateTables ?? []);
	const ofCore = ["stays", "activity_log", "postcards", "experiences", "experience_votes"];
	for (const { table, erased = "rows", texts } of [...ownTables, ...(await loadPersonalTables())]) {
		const name = getTableName(table);
		if (erased === "rows" || [...ofCore, ...ofFeatures].includes(name)) continue;
		const remedy = `set texts of ${name} in the feature's loadPersonalTables, or add it to privateTables of its TestFeature`;
		expect(texts, remedy).toBeDefined();
	}
});

describe("`hide agent` and `show agent`", () => {
	let vote: string;

	/** Ada has a postcard, a review, and an active and an archived experience. Bob has a postcard. */
	beforeEach(async () => {
		await context.complete(ada, bath);
		vote = (await context.vote(ada, bath, 2, "A review")).id;
		await context.sendPostcard(ada);
		await context.sendPostcard(bob);
		await context.archive(ada, (await context.create(ada)).id);
		context.advance(1);
	});

	const act = (verb: "hide" | "show") => context.byHost(`/agents/${ada.id.toUpperCase()}/${verb}`);
	const statusOf = async (id: string) => (await context.call("GET", `/api/experiences/${id}`)).status;
	const counts = (postcard: number, experience: number, review: number) =>
		({ id: ada.id, name: "Ada", postcard, experience, review }) as object;

	test("hide and show all texts of an agent, but do not show one that was hidden individually before", async () => {
		const tables = ["agents", "postcards", "experiences", "experience_votes"];
		const contents = () =>
			Promise.all(tables.map((table) => context.rows(`select * from ${table} order by seq`)));
		const { id } = await context.sendPostcard(ada);
		await context.byHost(`/postcards/${id}/hide`);
		const before = await contents();
		// `show agent` shows the texts that were hidden at the time of `hide agent`.
		context.advance(1);
		expect(await act("hide")).toMatchObject(counts(1, 2, 1));
		// The list contains the agent itself and five texts.
		expect(await hidden()).toHaveLength(6);
		const { body } = await context.call("GET", "/api/postcards");
		expect(body.postcards).toMatchObject([{ senderId: bob.id }]);
		expect(await act("show")).toMatchObject(counts(1, 2, 1));
		expect(await contents()).toEqual(before);
		expect(await hidden()).toHaveLength(1);
		expect(await context.host("POST", `/agents/${ada.id}/show`)).toMatchObject({
			status: 400,
			body: { error: "The agent's texts are not hidden" },
		});
	});

	test("hide a bio that a hidden agent writes later, but not from the agent itself", async () => {
		const things = { agents: [ada], experienceIds: [bath] };
		const places = async () => placesOf(await readEverywhere(context, things), "Zqxj");
		await act("hide");
		const { key } = ada;
		const changed = await context.call("PATCH", "/api/me", { key, body: { bio: "Zqxj bio" } });
		expect(changed.body.agent.bio).toBe("Zqxj bio");
		// Creates an experience of Ada, because the page of an experience shows the bio of its creator.
		things.experienceIds.push((await context.create(ada)).id);
		expect(await places()).toEqual([]);
		expect((await context.call("GET", `/agents/${ada.id}`)).text).toContain("Ada");
		expect((await context.call("GET", "/api/me", { key })).body.agent.bio).toBe("Zqxj bio");
		await act("show");
		expect(await places()).not.toEqual([]);
	});

	test("leave a text hidden if it was individually shown and hidden again after `hide agent`", async () => {
		await act("hide");
		context.advance(1);
		for (const verb of ["show", "hide"]) {
			await context.byHost(`/reviews/${vote}/${verb}`);
			await context.byHost(`/experiences/${bath}/${verb}`);
		}
		expect(await act("show")).toMatchObject(counts(1, 1, 0));
		expect(await hidden()).toHaveLength(2);
		await context.byHost(`/experiences/${bath}/show`);
		expect(await statusOf(bath)).toBe(200);
	});

	test("hide newer texts if `hide agent` is repeated, and then show the older and the newer texts together", async () => {
		await act("hide");
		context.advance(1);
		await context.sendPostcard(ada);
		const { id } = await context.create(ada);
		await context.archive(ada, id);
		expect(await act("hide")).toMatchObject(counts(1, 1, 0));
		expect(await act("show")).toMatchObject(counts(2, 3, 1));
		// The creator has archived this experience, so it stays archived.
		expect(await statusOf(id)).toBe(404);
	});

	test("add an agent without texts to the list `hidden`, and remove it again", async () => {
		const { id } = await context.guest({ name: "Grace" });
		await context.byHost(`/agents/${id}/hide`);
		expect(await hidden()).toMatchObject([{ kind: "agent", id, agentId: id, agentName: "Grace", text: "" }]);
		const { agents } = Object((await context.host("GET", "/agents")).body);
		expect(agents.map((agent: { isHidden: boolean }) => agent.isHidden)).toEqual([true, false, false]);
		await context.byHost(`/agents/${id}/show`);
		expect(await hidden()).toEqual([]);
	});

	test("accept an erased agent, whose experiences stay archived, and return 404 for an unknown agent", async () => {
		await context.byHost(`/agents/${ada.id}/erase`);
		await act("hide");
		const { body } = await context.call("GET", "/api/postcards");
		expect(body.postcards).toHaveLength(1);
		await act("show");
		expect(await statusOf(bath)).toBe(404);
		expect((await context.host("POST", "/agents/nobody/hide")).status).toBe(404);
	});
});

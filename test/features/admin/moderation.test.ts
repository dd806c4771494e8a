/** Tests of hiding and showing single texts. */
import { beforeEach, expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { loadPersonalTables } from "../../../src/cli/features.ts";
import { ownTables } from "../../../src/features/admin/erasures.ts";
import type { Registered } from "../../support/calls.ts";
import { testFeatures } from "../../support/features.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";

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
	"hide and show accept the id of the %s in any case, return its author, and are refused if they change nothing",
	async (kind, { create, author, text }) => {
		const ask = async (verb: string, id: string) => {
			const { status, body } = await context.host("POST", `/${kind}s/${id}/${verb}`);
			return [status, body.error];
		};
		const listed = async () => Object((await context.host("GET", "/hidden")).body).hidden;
		const error = `${kind[0]?.toUpperCase()}${kind.slice(1)} not found`;
		for (const verb of ["hide", "show"]) expect(await ask(verb, "nothing")).toEqual([404, error]);
		const id = await create();
		expect(await ask("show", id)).toEqual([400, `The ${kind} is not hidden`]);
		const whose = { kind, id, agentId: author.id, agentName: author === ada ? "Ada" : "Bob" };
		const isArchived = kind === "experience" ? true : undefined;
		expect<object>(await hide(kind, id.toUpperCase())).toEqual({ ok: true, ...whose, isArchived });
		expect(await listed()).toMatchObject([{ ...whose, text }]);
		expect(await ask("hide", id)).toEqual([400, `The ${kind} is already hidden`]);
		expect<object>(await show(kind, id)).toMatchObject({ ok: true, ...whose });
		expect(await listed()).toEqual([]);
	},
);

test("a hidden experience stays archived after `show` if its creator had archived it, and is active otherwise", async () => {
	const other = (await context.create(ada)).id;
	await context.archive(ada, other);
	const active = "select id, archived_at is null as active, hidden_at from experiences order by id";
	const before = await context.rows(active);
	// The creator has archived `other` in the millisecond in which both are hidden.
	for (const id of [bath, other]) await hide("experience", id);
	const { events } = await context.send("GET", "/api/events?since=0&types=experience.archived");
	expect(events).toHaveLength(2);
	expect(await show("experience", bath)).toMatchObject({ isArchived: false } as object);
	expect(await show("experience", other)).toMatchObject({ isArchived: true } as object);
	expect(await context.rows(active)).toEqual(before);
});

test("a hidden review can be shown after its author has removed the text", async () => {
	const id = await review("A review");
	await hide("review", id);
	await context.vote(bob, bath, 3);
	await show("review", id);
	await context.vote(bob, bath, 4, "Another review");
	expect(await context.votes(bath)).toMatchObject([{ id, review: "Another review" }]);
});

test("`hidden` lists all hidden texts, the most recently hidden first", async () => {
	const count = 1_001;
	const [stay] = await context.rows("select id from stays limit 1");
	await context.rows(
		`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) insert into postcards (id, stay_id, sender_id, message, created_at, hidden_at) select 'p' || n, '${stay?.id}', '${ada.id}', 'A message', n, n from numbers`,
	);
	const { hidden } = Object((await context.host("GET", "/hidden")).body);
	expect(hidden).toHaveLength(count);
	expect(hidden[0].id).toBe(`p${count}`);
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

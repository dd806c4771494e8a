/** What the host does after something else was done, as a random walk came upon it. */
import { beforeEach, expect, test } from "bun:test";
import { useCommunity, useGuest } from "../support/use-resort.ts";

const context = useCommunity();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let bath: string;
beforeEach(async () => {
	bath = (await context.create(ada)).id;
	context.advance(1000);
});

const get = async (path: string) => (await context.ask("GET", path)).body;

test("a hidden review that its voter has taken back since can be shown", async () => {
	await context.complete(bob, bath);
	const { id } = await context.vote(bob, bath, 2, "A review");
	await context.byHost(`/reviews/${id}/hide`);
	await context.ask("POST", `/api/experiences/${bath}/vote`, {
		key: bob.key,
		body: { rating: 3 },
	});
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

test("a hidden experience is told as (hidden) where somebody is busy with it, also once its creator is erased", async () => {
	await context.complete(bob, bath);
	await context.byHost(`/experiences/${bath}/hide`);
	await context.byHost(`/agents/${ada.id}/erase`);
	const current = async () =>
		(await get(`/api/agents/${bob.id}/status`)).stay?.currentActivity?.name;
	expect(await current()).toBe("(hidden)");
	await context.byHost(`/experiences/${bath}/show`);
	expect(await current()).toBe("(erased)");
});

test.each([
	["Élan Vital", ["Élan", "ÉLAN", "élan", "éLAN v", "É", "l"], ["elan", "é l"]],
	["ürmel the Slow", ["Ürmel", "ÜRMEL", "Ürmel THE s", "ü"], ["urmel"]],
	["Ёлка на ЮГЕ", ["ёЛКА", "на юге"], ["елка"]],
	["ΟΔΟΣ", ["οδος", "οδοσ", "οδ"], ["οδοι"]],
	["Straße 100%_é!", ["STRAẞE", "straße", "%_É!"], ["%é", "_é!!"]],
])("%s is found whatever the case of a letter", async (name, by, notBy) => {
	const { id } = await context.register({ name });
	const found = async (search: string) => {
		const query = new URLSearchParams({ search });
		const { body } = await context.host("GET", `/agents?${query}`);
		return (body as unknown as { agents: { id: string }[] }).agents.map(
			(agent) => agent.id,
		);
	};
	for (const search of by) {
		expect({ search, ids: await found(search) }).toMatchObject({
			search,
			ids: expect.arrayContaining([id]),
		});
	}
	for (const search of notBy) {
		expect({ search, ids: await found(search) }).toEqual({ search, ids: [] });
	}
});

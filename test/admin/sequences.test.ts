/** What the host does after something else was done, as a random walk came upon it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { Community } from "../support/community.ts";
import type { Registered } from "../support/resort.ts";

const MAX_STAY_MS = 4 * HOUR_MS;

let house: Community;
let ada: Registered;
let bob: Registered;
let bath: string;

beforeEach(async () => {
	house = new Community({ maxStayMs: MAX_STAY_MS });
	ada = await house.guest({ name: "Ada" });
	bob = await house.guest({ name: "Bob" });
	bath = (await house.create(ada)).id;
	house.advance(1000);
});
afterEach(() => house.close());

const get = async (path: string) => (await house.ask("GET", path)).body;

test("a hidden review that its voter has taken back since can be shown", async () => {
	await house.complete(bob, bath);
	const { id } = await house.vote(bob, bath, 2, "A review");
	await house.byHost(`/reviews/${id}/hide`);
	await house.ask("POST", `/api/experiences/${bath}/vote`, {
		key: bob.key,
		body: { rating: 3 },
	});
	await house.byHost(`/reviews/${id}/show`);
	await house.vote(bob, bath, 4, "Another review");
	const { votes } = await get(`/api/experiences/${bath}/votes`);
	expect(votes).toMatchObject([{ id, review: "Another review" }]);
});

test("a hidden experience whose creator was erased since stays archived when it is shown", async () => {
	await house.byHost(`/experiences/${bath}/hide`);
	await house.byHost(`/agents/${ada.id}/erase`);
	await house.byHost(`/experiences/${bath}/show`);
	const { status } = await house.ask("GET", `/api/experiences/${bath}`);
	expect(status).toBe(404);
	expect((await get("/api/experiences")).experiences).toEqual([]);
	const { events } = await get("/api/events?since=0&types=experience.archived");
	expect(events).toHaveLength(1);
});

test("a hidden experience is told as (hidden) where somebody is busy with it, also once its creator is erased", async () => {
	await house.complete(bob, bath);
	await house.byHost(`/experiences/${bath}/hide`);
	await house.byHost(`/agents/${ada.id}/erase`);
	const current = async () =>
		(await get(`/api/agents/${bob.id}/status`)).stay?.currentActivity?.name;
	expect(await current()).toBe("(hidden)");
	await house.byHost(`/experiences/${bath}/show`);
	expect(await current()).toBe("(erased)");
});

test("an agent that comes back after its stay was over is told to be available once", async () => {
	await house.byHost(`/agents/${ada.id}/deactivate`);
	house.advance(MAX_STAY_MS);
	await house.byHost(`/agents/${ada.id}/reactivate`);
	await house.sweep();
	const { events } = await get(
		`/api/events?since=0&types=agent.available&ids=${ada.id}`,
	);
	expect(events.map(({ reason }) => reason)).toEqual(["host"]);
});

test.each([
	["Élan Vital", ["Élan", "ÉLAN", "élan", "éLAN v", "É", "l"], ["elan", "é l"]],
	["ürmel the Slow", ["Ürmel", "ÜRMEL", "Ürmel THE s", "ü"], ["urmel"]],
	["Ёлка на ЮГЕ", ["ёЛКА", "на юге"], ["елка"]],
	["ΟΔΟΣ", ["οδος", "οδοσ", "οδ"], ["οδοι"]],
	["Straße 100%_é!", ["STRAẞE", "straße", "%_É!"], ["%é", "_é!!"]],
])("%s is found whatever the case of a letter", async (name, by, notBy) => {
	const { id } = await house.register({ name });
	const found = async (search: string) => {
		const query = new URLSearchParams({ search });
		const { body } = await house.host("GET", `/agents?${query}`);
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

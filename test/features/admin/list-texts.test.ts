/** The lists of texts that the host can hide, and agents that the host registers. */
import { beforeEach, describe, expect, test } from "bun:test";
import { ROWS_AT_ONCE } from "../../../src/features/admin/list-texts.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunityOnFile, useGuest, useResort } from "../../support/use-resort.ts";

const context = useCommunityOnFile();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
beforeEach(() => {
	context.advance(1000);
});

/** Lists texts by the query of a page. */
const list = async (query: string) => Object((await context.host("GET", `/${query}`)).body);
const textsOf = async (query: string) => (await list(query)).texts.map(({ text }: { text: string }) => text);

async function send(agent: Registered, message: string, recipientId?: string) {
	await context.send(agent, { message, recipientId });
	context.advance(1000);
}

describe("texts", () => {
	test("are listed newest first, hidden and private ones too, by author and by text", async () => {
		await send(ada, "Straße am Meer");
		await send(bob, "Strasse, private", ada.id);
		await send(ada, "ÜBER 100 % reef_view");
		const { texts, total, offset } = await list("postcards");
		expect([total, offset]).toEqual([3, 0]);
		await context.byHost(`/postcards/${texts[0].id}/hide`);
		expect((await list("postcards")).texts[0]).toEqual({
			...texts[0],
			agentId: ada.id,
			agentName: "Ada",
			hiddenAt: expect.any(String),
		});
		for (const [query, expected] of [
			["", ["ÜBER 100 % reef_view", "Strasse, private", "Straße am Meer"]],
			["search=strasse", ["Strasse, private", "Straße am Meer"]],
			["search=über", ["ÜBER 100 % reef_view"]],
			["search=0 %25 R", ["ÜBER 100 % reef_view"]],
			["search=f_v", ["ÜBER 100 % reef_view"]],
			["search=fxv", []],
			[`by=${bob.id.toUpperCase()}`, ["Strasse, private"]],
			[`by=${ada.id}&limit=1`, ["ÜBER 100 % reef_view"]],
			[`by=${ada.id}&limit=1&offset=1`, ["Straße am Meer"]],
			[`by=${ada.id}&search=strasse`, ["Straße am Meer"]],
			["search=s&limit=1&offset=1", ["Straße am Meer"]],
		] as const) {
			expect([query, await textsOf(`postcards?${query}`)]).toEqual([query, [...expected]]);
		}
		expect((await context.host("GET", "/postcards?by=nobody")).status).toBe(404);
	});

	test("of experiences are found by their descriptions, and reviews without a text are not listed", async () => {
		const { id } = await context.create(ada, { description: "Cheap pills" });
		await context.create(bob);
		expect(await textsOf("experiences?search=PILLS")).toEqual([expect.stringMatching(/: Cheap pills$/)]);
		expect((await list(`experiences?by=${bob.id}`)).total).toBe(1);
		for (const [agent, review] of [
			[bob, "Buy pills"],
			[ada, undefined],
		] as const) {
			await context.complete(agent, id);
			await context.vote(agent, id, 4, review);
		}
		expect(await textsOf("reviews")).toEqual(["Buy pills"]);
		expect(await textsOf(`reviews?by=${ada.id}`)).toEqual([]);
	});

	test("are searched in parts", async () => {
		await send(ada, "Needle");
		const [stay] = await context.rows("select id from stays limit 1");
		await context.rows(
			`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS_AT_ONCE}) insert into postcards (id, stay_id, sender_id, message, created_at) select 'p' || n, '${stay?.id}', '${bob.id}', 'Fee', n from numbers`,
		);
		expect(await textsOf("postcards?search=needle")).toEqual(["Needle"]);
		const { total, texts } = await list("postcards?search=e&limit=2");
		expect([total, texts.length]).toEqual([ROWS_AT_ONCE + 1, 2]);
	});
});

describe("register", () => {
	const closed = useResort({ registration: "closed", rateLimits: true });

	test("creates agents although registration is closed, and records them", async () => {
		for (let count = 1; count <= 12; count++) {
			const made = await closed.byHost("/agents", { name: " Smoke Test " });
			const { id, name, apiKey } = Object(made);
			expect(name).toBe("Smoke Test");
			const me = await closed.me({ key: apiKey });
			expect(me.body.agent.id).toBe(id);
			const path = `/history?agent=${id}`;
			expect(Object((await closed.host("GET", path)).body).actions).toMatchObject([
				{ command: "register", agentId: id, agentName: "Smoke Test" },
			]);
		}
		const refused = await closed.host("POST", "/agents", { name: "x" });
		expect(refused.status).toBe(400);
	});
});

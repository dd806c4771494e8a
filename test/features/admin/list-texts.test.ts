import { beforeEach, describe, expect, test } from "bun:test";
import { ROWS_AT_ONCE } from "../../../src/features/admin/read-parts.ts";
import type { Registered } from "../../support/calls.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const context = useResort({ onFile: true });
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
beforeEach(() => {
	context.advance(1000);
});

const list = async (query: string) => Object((await context.host("GET", `/${query}`)).body);
const textsOf = async (query: string) => (await list(query)).texts.map(({ text }: { text: string }) => text);

async function send(agent: Registered, message: string, recipientId?: string) {
	await context.sendPostcard(agent, { message, recipientId });
	context.advance(1000);
}

describe("`resort admin postcards`, `experiences` and `reviews`", () => {
	test("list texts newest first, including hidden and private ones, and filter them by author and words", async () => {
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
		const [private_, street, over] = ["Strasse, private", "Straße am Meer", "ÜBER 100 % reef_view"];
		for (const [query, expected] of [
			["", [over, private_, street]],
			["search=strasse", [private_, street]],
			["search=0 %25 R", [over]],
			["search=fxv", []],
			[`by=${bob.id.toUpperCase()}`, [private_]],
			[`by=${ada.id}&limit=1`, [over]],
			[`by=${ada.id}&limit=1&offset=1`, [street]],
			[`by=${ada.id}&search=strasse`, [street]],
			["search=s&limit=1&offset=1", [street]],
		] as const) {
			expect(await textsOf(`postcards?${query}`), query).toEqual([...expected]);
		}
		expect((await context.host("GET", "/postcards?by=nobody")).status).toBe(404);
	});

	test("find experiences by their descriptions, and omit reviews without a text", async () => {
		const { id } = await context.create(ada, { description: "Cheap pills" });
		await context.create(bob);
		expect(await textsOf("experiences?search=PILLS")).toEqual([expect.stringContaining(": Cheap pills · ")]);
		expect((await list(`experiences?by=${bob.id}`)).total).toBe(1);
		await context.complete(bob, id);
		await context.vote(bob, id, 4, "Buy pills");
		await context.complete(ada, id);
		await context.vote(ada, id, 4);
		expect(await textsOf("reviews")).toEqual(["Buy pills"]);
		expect(await textsOf(`reviews?by=${ada.id}`)).toEqual([]);
	});

	test("search more texts than one query reads", async () => {
		await send(ada, "Needle");
		const [stay] = await context.rows("select id from stays limit 1");
		await context.rows(
			`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS_AT_ONCE}) insert into postcards (id, stay_id, sender_id, message, created_at) select 'p' || n, '${stay?.id}', '${bob.id}', 'Fee', n from numbers`,
		);
		expect(await textsOf("postcards?search=needle")).toEqual(["Needle"]);
		const { total, texts } = await list("postcards?search=e&limit=2");
		expect([total, texts.length]).toEqual([ROWS_AT_ONCE + 1, 2]);
	});

	test("let other calls run between the queries of a search", async () => {
		await context.rows(
			`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${3 * ROWS_AT_ONCE}) insert into agents (id, name, created_at, relaxation_style, comfort_objects, interests) select 'a' || n, 'Eve', n, '[]', '[]', '[]' from numbers`,
		);
		let turns = 0;
		const count = () => {
			turns++;
			turn = setImmediate(count);
		};
		let turn = setImmediate(count);
		const { total } = await list("agents?search=eve");
		clearImmediate(turn);
		expect(total).toBe(3 * ROWS_AT_ONCE);
		expect(turns).toBeGreaterThan(2);
	});
});

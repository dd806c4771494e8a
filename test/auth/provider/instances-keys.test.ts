/** Needs the address of a PostgreSQL server in RESORT_TEST_POSTGRES. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { MINUTE_MS, SECOND_MS } from "../../../src/lib/clock.ts";
import { testServer } from "../../support/postgres/lazy-store.ts";
import { keyOf, sayYes } from "./house.ts";
import { me, ThreeHouses } from "./three-houses.ts";

setDefaultTimeout(60_000);

const KEY = keyOf("ada");
const no = () => Response.json({ active: false });
const away = () => new Response(null, { status: 500 });

const describeThree = describe.skipIf(testServer === undefined);

describeThree("three instances remember, each by itself,", () => {
	test("a yes for 60 seconds", async () => {
		await using three = await ThreeHouses.open();
		const { houses, provider } = three;
		const [id] = await three.each({ key: KEY });
		expect(id).toBeString();
		expect(await three.each({ key: KEY })).toEqual([id, id, id]);
		expect(provider.asked).toHaveLength(3);
		houses.advance(MINUTE_MS - 1);
		expect(await three.each({ key: KEY })).toEqual([id, id, id]);
		expect(provider.asked).toHaveLength(3);
		houses.advance(1);
		expect(await three.each({ key: KEY })).toEqual([id, id, id]);
		expect(provider.asked).toHaveLength(6);
	});

	test("a no for 10 seconds", async () => {
		await using three = await ThreeHouses.open();
		const { houses, provider } = three;
		provider.answer = no;
		expect(await three.each({ key: KEY })).toEqual([401, 401, 401]);
		sayYes(provider);
		houses.advance(10 * SECOND_MS - 1);
		expect(await three.each({ key: KEY })).toEqual([401, 401, 401]);
		expect(provider.asked).toHaveLength(3);
		houses.advance(1);
		const [id] = await three.each({ key: KEY });
		expect(await three.each({ key: KEY })).toEqual([id, id, id]);
		expect(id).toBeString();
		expect(provider.asked).toHaveLength(6);
	});

	test("a yes that has become a no, where it was heard", async () => {
		await using three = await ThreeHouses.open();
		const { houses, provider } = three;
		const { id } = (await me(houses.at(0), { key: KEY })).body.agent;
		provider.answer = no;
		expect(await three.each({ key: KEY })).toEqual([id, 401, 401]);
		houses.advance(MINUTE_MS);
		expect(await three.each({ key: KEY })).toEqual([401, 401, 401]);
	});

	test("a yes for 5 minutes while the provider is away, but not over a restart", async () => {
		await using three = await ThreeHouses.open();
		const { houses, provider } = three;
		const [id] = await three.each({ key: KEY });
		provider.answer = away;
		houses.advance(5 * MINUTE_MS - 1);
		await houses.restart(2);
		expect(await three.each({ key: KEY })).toEqual([id, id, 503]);
		houses.advance(1);
		expect(await three.each({ key: KEY })).toEqual([503, 503, 503]);
	});
});

describeThree("the session of a central key works", () => {
	test("at each of three instances, also after all were restarted", async () => {
		await using three = await ThreeHouses.open();
		const { houses, provider } = three;
		const session = await houses.at(0).login(KEY);
		const [id] = await three.each({ key: KEY });
		expect(id).toBeString();
		expect(await three.each({ session })).toEqual([id, id, id]);
		await three.restartAll();
		expect(await three.each({ session })).toEqual([id, id, id]);
		const tokens = provider.asked.map(({ token }) => token);
		expect(tokens).toEqual(Array<string>(6).fill(KEY));
		provider.answer = no;
		houses.advance(MINUTE_MS);
		expect(await three.each({ session })).toEqual([401, 401, 401]);
	});

	test("at none, once it has ended at one", async () => {
		await using three = await ThreeHouses.open();
		const { houses } = three;
		const session = await houses.at(0).login(KEY);
		const other = await houses.at(1).login(KEY);
		const [id] = await three.each({ session });
		expect(await three.each({ session })).toEqual([id, id, id]);
		await houses.at(2).ask("DELETE", "/api/session", { session });
		expect(await three.each({ session })).toEqual([401, 401, 401]);
		expect(await three.each({ session: other })).toEqual([id, id, id]);
		await three.restartAll();
		expect(await three.each({ session })).toEqual([401, 401, 401]);
		expect(await three.each({ session: other })).toEqual([id, id, id]);
	});

	test("at none, once its agent was deactivated at one", async () => {
		await using three = await ThreeHouses.open();
		const { houses } = three;
		const session = await houses.at(0).login(KEY);
		const [id] = await three.each({ session });
		expect(await three.each({ session })).toEqual([id, id, id]);
		await houses.at(1).ask("DELETE", "/api/me", { session });
		expect(await three.each({ session })).toEqual([401, 401, 401]);
		expect(await three.each({ key: KEY })).toEqual([401, 401, 401]);
	});
});

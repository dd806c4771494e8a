/** Three instances behind a provider. Requires the address of a PostgreSQL server in RESORT_TEST_POSTGRES. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { Answered, CallOptions } from "../../support/calls.ts";
import { testServer } from "../../support/engine.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import type { TestResort } from "../../support/resort.ts";
import { eventsOf, tally } from "../postgres/race.ts";
import { Houses } from "../postgres/support/houses.ts";
import { SECRETS } from "./calls.ts";
import { keyOf, proxied, sayYes } from "./house.ts";
import { Provider } from "./provider.ts";

setDefaultTimeout(60_000);

const KEY = keyOf("ada");

describeOnPostgres("a session of a central key", () => {
	test("is valid at all instances, also after a restart, until it ends at one of them", async () => {
		await using three = await ThreeInstances.open();
		const { houses, provider } = three;
		const session = await houses.at(0).login(KEY);
		const other = await houses.at(1).login(KEY);
		const [id] = await three.each({ key: KEY });
		expect(id).toBeString();
		expect(await three.each({ session })).toEqual([id, id, id]);
		await three.restartAll();
		expect(await three.each({ session })).toEqual([id, id, id]);
		const tokens = provider.asked.map(({ token }) => token);
		expect(tokens).toEqual(Array<string>(6).fill(KEY));
		await houses.at(2).call("DELETE", "/api/session", { session });
		expect(await three.each({ session })).toEqual([401, 401, 401]);
		await three.restartAll();
		expect(await three.each({ session })).toEqual([401, 401, 401]);
		expect(await three.each({ session: other })).toEqual([id, id, id]);
		provider.answer = () => Response.json({ active: false });
		houses.advance(MINUTE_MS);
		expect(await three.each({ session: other })).toEqual([401, 401, 401]);
	});

	test("is refused by all instances after one has deactivated its agent", async () => {
		await using three = await ThreeInstances.open();
		const { houses } = three;
		const session = await houses.at(0).login(KEY);
		const [id] = await three.each({ session });
		expect(await three.each({ session })).toEqual([id, id, id]);
		await houses.at(1).call("DELETE", "/api/me", { session });
		expect(await three.each({ session })).toEqual([401, 401, 401]);
		expect(await three.each({ key: KEY })).toEqual([401, 401, 401]);
	});
});

describeOnPostgres("three instances", () => {
	test("accept a signed call once if it is sent 50 times concurrently", async () => {
		await using three = await ThreeInstances.open();
		const { houses } = three;
		for (let round = 0; round < 5; round++) {
			const call = three.signed("GET", "/api/me", "getMe");
			const answers = await houses.atOnce(50, (context) => me(context, call));
			expect(tally(answers)).toEqual({ 200: 1, 401: 49 });
		}
		const call = three.signed("POST", "/api/checkin", "checkIn");
		const answers = await houses.atOnce(50, (context) => context.call("POST", "/api/checkin", call));
		expect(tally(answers)).toEqual({ 201: 1, 401: 49 });
		const own = three.signed("GET", "/api/me", "getMe");
		const { id } = (await me(houses.at(0), own)).body.agent;
		expect(await eventsOf(houses, id)).toEqual(["agent.relaxing"]);
	});

	test("create one agent for concurrent first calls of an identity", async () => {
		await using three = await ThreeInstances.open();
		const { houses } = three;
		for (const subject of ["ada", "bea", "coral", "dora"]) {
			const answers = await houses.atOnce(30, (context, at) => me(context, { key: keyOf(subject, at) }));
			expect(tally(answers)).toEqual({ 200: 30 });
			expect(new Set(answers.map(({ body }) => body.agent.id)).size).toBe(1);
		}
		expect(await houses.rows("SELECT id FROM agents")).toHaveLength(4);
	});
});

class ThreeInstances implements AsyncDisposable {
	private constructor(
		readonly provider: Provider,
		readonly houses: Houses,
	) {}

	static async open(): Promise<ThreeInstances> {
		const provider = new Provider();
		sayYes(provider);
		const identity = { url: provider.url, secrets: SECRETS };
		const houses = await Houses.open(testServer ?? "", { connections: 8, setup: { identity } });
		return new ThreeInstances(provider, houses);
	}

	signed(method: string, path: string, capability: string): CallOptions {
		const { nowMs } = this.houses;
		const url = `http://resort.test${path}`;
		return proxied(method, url, capability, { nowMs });
	}

	/** Returns the agent id of the caller at each instance, or the status of the refusal. */
	async each(ask: CallOptions): Promise<unknown[]> {
		const answers = await this.houses.atEach((context) => me(context, ask));
		return answers.map(({ status, body }) => body.agent?.id ?? status);
	}

	async restartAll(): Promise<void> {
		for (const at of this.houses.all.keys()) await this.houses.restart(at);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.houses[Symbol.asyncDispose]();
		await this.provider.stop();
	}
}

function me(context: TestResort, ask: CallOptions): Promise<Answered> {
	return context.me(ask);
}

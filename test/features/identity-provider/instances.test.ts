/**
 * Tests of three instances with an identity provider. RESORT_TEST_POSTGRES must have the address of a server.
 */
import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { CallOptions } from "../../support/calls.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { useDisposable } from "../../support/use-disposable.ts";
import { tally, useHouses } from "../postgres/support/houses.ts";
import { SECRETS } from "./calls.ts";
import { keyOf, proxied, sayYes } from "./house.ts";
import { Provider } from "./provider.ts";

setDefaultTimeout(60_000);

const KEY = keyOf("ada");

const provider = useDisposable(() => new Provider());
beforeEach(() => sayYes(provider));
const identity = {
	get url() {
		return provider.url;
	},
	secrets: SECRETS,
};
const houses = useHouses({ connections: 8, setup: { identity } });

function signed(method: string, path: string, capability: string): CallOptions {
	const { nowMs } = houses;
	return proxied(method, `http://resort.test${path}`, capability, { nowMs });
}

/** Calls each instance, and returns from each response the agent id or, after a refusal, the status. */
async function each(ask: CallOptions): Promise<unknown[]> {
	const answers = await houses.atEach((context) => context.me(ask));
	return answers.map(({ status, body }) => body.agent?.id ?? status);
}

async function restartAll(): Promise<void> {
	for (const at of houses.all.keys()) await houses.restart(at);
}

describeOnPostgres("three instances", () => {
	test("accept a session of a central key, even after a restart, until one of them ends the session", async () => {
		const session = await houses.at(0).login(KEY);
		const other = await houses.at(1).login(KEY);
		const [id] = await each({ key: KEY });
		expect(id).toBeString();
		expect(await each({ session })).toEqual([id, id, id]);
		await restartAll();
		expect(await each({ session })).toEqual([id, id, id]);
		const tokens = provider.asked.map(({ token }) => token);
		expect(tokens).toEqual(Array<string>(6).fill(KEY));
		await houses.at(2).call("DELETE", "/api/session", { session });
		expect(await each({ session })).toEqual([401, 401, 401]);
		await restartAll();
		expect(await each({ session })).toEqual([401, 401, 401]);
		expect(await each({ session: other })).toEqual([id, id, id]);
		provider.answer = () => Response.json({ active: false });
		houses.advance(MINUTE_MS);
		expect(await each({ session: other })).toEqual([401, 401, 401]);
	});

	test("together accept a signed call once if it is sent 50 times concurrently", async () => {
		for (let round = 0; round < 5; round++) {
			const call = signed("GET", "/api/me", "getMe");
			const answers = await houses.atOnce(50, (context) => context.me(call));
			expect(tally(answers)).toEqual({ 200: 1, 401: 49 });
		}
		const call = signed("POST", "/api/checkin", "checkIn");
		const answers = await houses.atOnce(50, (context) => context.call("POST", "/api/checkin", call));
		expect(tally(answers)).toEqual({ 201: 1, 401: 49 });
		const { id } = (await houses.at(0).me(signed("GET", "/api/me", "getMe"))).body.agent;
		expect(await houses.eventsOf(id)).toEqual(["agent.relaxing"]);
	});

	test("together create one agent for concurrent first calls with one identity", async () => {
		for (const subject of ["ada", "bea", "coral", "dora"]) {
			const answers = await houses.atOnce(30, (context, at) => context.me({ key: keyOf(subject, at) }));
			expect(tally(answers)).toEqual({ 200: 30 });
			expect(new Set(answers.map(({ body }) => body.agent.id)).size).toBe(1);
		}
		expect(await houses.rows("SELECT id FROM agents")).toHaveLength(4);
	});
});

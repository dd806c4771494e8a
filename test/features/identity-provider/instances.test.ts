/**
 * Tests of three instances that share a PostgreSQL database and an identity provider. RESORT_TEST_POSTGRES
 * contains the address of PostgreSQL.
 */
import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { CallOptions } from "../../support/calls.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { useDisposable } from "../../support/use-disposable.ts";
import { tally, useHouses } from "../postgres/support/houses.ts";
import { SECRETS } from "./calls.ts";
import { keyOf, proxied, sayYes } from "./house.ts";
import { Provider } from "./provider.ts";

setDefaultTimeout(60_000);

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

describeOnPostgres("three instances", () => {
	test("together accept a signed call once if it is sent 50 times concurrently", async () => {
		const call = signed("POST", "/api/checkin", "checkIn");
		const answers = await houses.atOnce(50, (context) => context.call("POST", "/api/checkin", call));
		expect(tally(answers)).toEqual({ 201: 1, 401: 49 });
		const { id } = (await houses.at(0).me(signed("GET", "/api/me", "getMe"))).body.agent;
		expect(await houses.eventsOf(id)).toEqual(["agent.relaxing"]);
	});

	test("together create one agent for concurrent first calls with keys of the same subject", async () => {
		for (const subject of ["ada", "bea", "coral", "dora"]) {
			const answers = await houses.atOnce(30, (context, at) => context.me({ key: keyOf(subject, at) }));
			expect(tally(answers)).toEqual({ 200: 30 });
			expect(new Set(answers.map(({ body }) => body.agent.id)).size).toBe(1);
		}
		expect(await houses.rows("SELECT id FROM agents")).toHaveLength(4);
	});
});

import { beforeEach, describe, expect, test } from "bun:test";
import { placesOf, readEverywhere } from "../support/everywhere.ts";
import {
	FILLING,
	leaveTraces,
	MARK,
	type Traced,
	traceable,
} from "../support/traces.ts";
import { useCommunityOnFile, useGuest } from "../support/use-resort.ts";

const context = useCommunityOnFile(traceable);
const other = useGuest(context, { name: "Other" });
let agent: Traced;

beforeEach(async () => {
	agent = await leaveTraces(context, other);
	context.advance(60_000);
});
const erase = () => context.byHost(`/agents/${agent.id}/erase`);
const read = () =>
	readEverywhere(context, {
		agents: [agent, other],
		experienceIds: [agent.experienceId],
	});

describe("erase", () => {
	test("leaves no text in any public answer, also not in one that was kept ready", async () => {
		expect(placesOf(await read(), MARK).length).toBeGreaterThan(20);
		await read();
		await erase();
		expect(placesOf(await read(), MARK)).toEqual([]);
	});

	test("leaves no text in any row of any table", async () => {
		await erase();
		const rows = await context.dump();
		for (const text of [MARK, FILLING, ...agent.secrets, agent.key]) {
			expect({ text, isKept: rows.includes(text) }).toEqual({
				text,
				isKept: false,
			});
		}
	});

	test("ends its key, its sessions and its webhooks", async () => {
		const session = await context.login(agent.key);
		const webhooks = () => context.rows("select state, network from webhooks");
		expect(await webhooks()).toEqual([
			{ state: "active", network: "192.0.2.1" },
		]);
		await erase();
		for (const who of [{ key: agent.key }, { session }]) {
			expect((await context.ask("GET", "/api/me", who)).status).toBe(401);
		}
		expect(await webhooks()).toEqual([{ state: "ended", network: null }]);
	});
});

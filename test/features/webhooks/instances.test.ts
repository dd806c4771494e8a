import { beforeEach, expect, test } from "bun:test";
import type { Registered } from "../../support/calls.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { until } from "../../support/until.ts";
import { useHouses } from "../postgres/support/houses.ts";
import { subscribe, toLoopback, useReceiver, written } from "./receiver.ts";

/** The interval at which the sending instance renews its lease: a tenth of the default. */
const leaseEveryMs = 300;

const receiver = useReceiver();
const webhooks = { ...toLoopback, leaseEveryMs };
const houses = useHouses({ setup: { webhooks } });

/** Returns the holder of the lease. Asks the instance after the one with the index `at`. */
const holderSeenBeside = async (at: number) =>
	(await houses.at(at + 1).rows("select holder from leases"))[0]?.holder;

/** Waits until the first message is sent, and returns the index of the instance that sent it. */
async function senderOfFirst(): Promise<number> {
	const find = () => houses.all.findIndex(({ sender }) => sender?.tally.delivered === 1);
	await until(() => find() >= 0);
	return find();
}

let owner: Registered;
let id: string;

describeOnPostgres("several instances", () => {
	beforeEach(async () => {
		for (const context of houses.all) context.sender?.start();
		owner = await houses.at(0).register();
		({ id } = await subscribe(houses.at(1), owner, { url: receiver.url() }));
	});

	test("together send each message once, and in order, even if all of them create events concurrently", async () => {
		const agents = await Promise.all(Array.from({ length: 20 }, (_, at) => houses.at(at).register()));
		for (let round = 0; round < 2; round++) {
			await Promise.all(agents.map((agent, at) => houses.at(at).checkInOrOut(agent)));
		}
		const tallies = () => houses.all.map(({ sender }) => sender?.tally.delivered ?? 0);
		await until(() => tallies().includes(40));
		const ids = receiver.eventIds.map(Number);
		expect(ids).toEqual(ids.toSorted((a, b) => a - b));
		expect(new Set(ids).size).toBe(40);
		expect(tallies().toSorted()).toEqual([0, 0, 40]);
	});

	test("immediately notice if another instance deletes a webhook or accepts a redelivery", async () => {
		await houses.at(1).checkInOrOut(owner);
		await receiver.has(1);
		for (let at = 0; at < 3; at++) {
			await written(houses.at(at), 1 + at);
			const path = `/api/webhooks/${id}/deliveries/${receiver.messages[0]?.id}/redeliver`;
			const asked = await houses.at(at).call("POST", path, { key: owner.key });
			expect(asked.status).toBe(200);
			await receiver.has(2 + at);
		}
		const { key } = owner;
		await houses.at(2).call("DELETE", `/api/webhooks/${id}`, { key });
		await subscribe(houses.at(1), owner, { url: receiver.url() });
		await houses.at(1).checkInOrOut(owner);
		await receiver.has(5);
		expect(receiver.messages).toHaveLength(5);
	});

	test("let another instance send the webhooks once the sending instance stops", async () => {
		await houses.at(0).checkInOrOut(owner);
		await receiver.has(1);
		const at = await senderOfFirst();
		const before = await holderSeenBeside(at);
		await houses.at(at).sender?.stop();
		await houses.at(at + 1).checkInOrOut(owner);
		await receiver.has(2);
		expect(await holderSeenBeside(at)).not.toBe(before);
	});

	test("send each message once, even if the sender loses the database and another one takes over", async () => {
		await houses.at(0).checkInOrOut(owner);
		const at = await senderOfFirst();
		const before = await holderSeenBeside(at);
		const { store } = houses.at(at).context;
		const refuse = () => Promise.reject(new Error("cut off"));
		Object.assign(store, { write: refuse, read: refuse });
		const startMs = performance.now();
		for (let more = 0; more < 4; more++) await houses.at(at + 1).checkInOrOut(owner);
		await receiver.has(5);
		const tookMs = performance.now() - startMs;
		expect(tookMs).toBeGreaterThan(2 * leaseEveryMs);
		expect(tookMs).toBeLessThan(5_000);
		expect(await holderSeenBeside(at)).not.toBe(before);
		expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(5);
		expect(receiver.messages).toHaveLength(5);
	});
});

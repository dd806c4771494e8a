import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { WaitSignal } from "../../../../src/core/lib/wait-signal.ts";
import { publicFilter } from "../../../../src/core/resort/events/event-filter.ts";
import { EventLog } from "../../../../src/core/resort/events/event-log.ts";
import { publish, publishInternal } from "../../../../src/core/resort/events/publish.ts";
import { testSqlite } from "../../../support/requirements.ts";
import { useResort } from "../../../support/use-resort.ts";

const resort = useResort({ shared: true });
const { store } = resort.context;
const all = publicFilter(null, null);

async function subscribe(log: EventLog, filter = all) {
	const signal = new WaitSignal(2_000);
	const subscription = log.subscribe(signal, filter, "a");
	await subscription.next(await log.newest(), 1);
	return { signal, wake: spyOn(signal, "wake"), subscription };
}

/** Counts the next events, until there are as many as expected or the signal has timed out. */
async function countNext({ signal, subscription }: Awaited<ReturnType<typeof subscribe>>, expected: number) {
	let count = 0;
	while (count < expected && (await signal.next())) {
		const page = await subscription.next(subscription.cursor, 100);
		count += page.events.length;
	}
	return count;
}

const add = (agentId: string, count: number) =>
	store.write(function* () {
		for (let at = 0; at < count; at++) {
			yield* publish(store, { type: "postcard.sent", at, agentId, subjectId: "" });
		}
	});

describe("EventLog", () => {
	const read = spyOn(store, "read");
	afterAll(() => {
		read.mockRestore();
	});

	test("wakes only subscribers whose filter matches, and reads no events once it has no subscribers", async () => {
		const { id } = await resort.register();
		const log = new EventLog(store);
		const subscribed = await subscribe(log);
		const { subscription } = subscribed;
		const other = await subscribe(log, publicFilter(new Set(["agent.did"]), null));
		const start = subscription.cursor;
		const cached = () => subscription.peek(start).events.length;
		// 101 events are more than the log reads in one step.
		await add(id, 101);
		expect(await countNext(subscribed, 101)).toBe(101);
		expect(cached()).toBe(101);
		expect(other.wake).not.toHaveBeenCalled();
		expect(other.subscription.cursor).toBe(subscription.cursor);
		const beyond = await subscription.next(Number.MAX_SAFE_INTEGER, 1);
		expect(beyond).toMatchObject({ events: [], isForgotten: true });
		await store.write(() => publishInternal(store, "agent.seen", id));
		expect(cached()).toBe(101);
		await store.write(() => publishInternal(store, "agent.changed", id));
		expect(cached()).toBe(0);
		subscription.end();
		other.subscription.end();
		await Bun.sleep(0);
		read.mockClear();
		await add(id, 1);
		await Bun.sleep(150);
		expect(read).not.toHaveBeenCalled();
	});

	test("continues to read events after a failed read", async () => {
		const { id } = await resort.register();
		const subscribed = await subscribe(new EventLog(store));
		read.mockImplementationOnce(() => Promise.reject(new Error("an outage")));
		await add(id, 1);
		expect(await countNext(subscribed, 1)).toBe(1);
		subscribed.subscription.end();
	});

	test("accepts the cursor of an event that it has not read yet", async () => {
		const { id } = await resort.register();
		const { subscription } = await subscribe(new EventLog(store));
		const [row] = await resort.rows(
			`INSERT INTO events (type, at, agent_id) VALUES ('agent.did', 1, '${id}') RETURNING id`,
		);
		const cursor = Number(row?.id);
		expect(await subscription.next(cursor, 1)).toMatchObject({ cursor, isForgotten: false });
		subscription.end();
	});
});

describe("concurrent searches for events", () => {
	test("from the same network run one at a time, and different networks take turns", async () => {
		const { id } = await resort.guest();
		const log = new EventLog(store);
		const filter = publicFilter(null, new Set([id]));
		const ended: string[] = [];
		const search = async (network: string) => {
			await log.search(network, { since: 0, filter, limit: 1 });
			ended.push(network);
		};
		const many = Array.from({ length: 20 }, () => search("192.0.2.1"));
		await Promise.all([...many, search("192.0.2.2")]);
		expect(ended.indexOf("192.0.2.2")).toBeLessThan(4);
	});

	// On PostgreSQL, the first searches may end before the last ones begin.
	testSqlite.test("are refused if 1,000 searches from the same network already wait", async () => {
		await resort.guest();
		const log = new EventLog(store);
		const search = () => log.search("192.0.2.1", { since: 0, filter: () => true, limit: 1 });
		const searches = await Promise.allSettled(Array.from({ length: 1_002 }, search));
		const refused = searches.filter(({ status }) => status === "rejected");
		const reason = { message: "Too many searches for events", details: { retryAfterSeconds: 5 } };
		expect(refused).toMatchObject([{ reason: { code: "unavailable", ...reason } }]);
	});

	test("return no events if their subscription ends while they wait", async () => {
		const { id } = await resort.guest();
		const log = new EventLog(store);
		const filter = publicFilter(null, new Set([id]));
		const subscribe = () => log.subscribe({ wake() {}, end() {} }, filter, "a");
		const [first, second] = [subscribe(), subscribe()];
		const pages = Promise.all([first.next(0, 1), second.next(0, 1)]);
		second.end();
		const [page, none] = await pages;
		expect(page.events.map(({ type }) => type)).toEqual(["agent.relaxing"]);
		expect(none).toMatchObject({ events: [], cursor: 0 });
		first.end();
	});
});

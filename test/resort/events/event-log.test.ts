import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { WaitSignal } from "../../../src/lib/wait-signal.ts";
import { publicFilter } from "../../../src/resort/events/event-filter.ts";
import { EventLog } from "../../../src/resort/events/event-log.ts";
import { publish, publishInternal } from "../../../src/resort/events/publish.ts";
import type { Store } from "../../../src/store/store.ts";
import { useSharedResort } from "../../support/use-resort.ts";

const resort = useSharedResort();

const all = publicFilter(null, null);
const slot = { lanes: [] };

test("a subscriber is woken although the start before its own fails late", async () => {
	const { id } = await resort.register();
	const { store } = resort.context;
	const late = Promise.withResolvers<never>();
	const reads: unknown[] = [late.promise];
	const replaced = {
		read: (task: Parameters<Store["read"]>[0]) => reads.shift() ?? store.read(task),
		withDeadline: (request: () => unknown) => request(),
	};
	const slow = new Proxy(store, {
		get(target, name) {
			const value = Reflect.get(name in replaced ? replaced : target, name);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
	const log = new EventLog(slow);
	const gone = log.subscribe(new WaitSignal(), all, slot);
	const started = gone.start();
	gone.end();
	const signal = new WaitSignal(2_000);
	const subscription = log.subscribe(signal, all, slot);
	await subscription.start();
	late.reject(new Error("too late"));
	await expect(started).rejects.toThrow("too late");
	await store.write(() => publish(store, { type: "agent.gone", at: 1, agentId: id }));
	expect(await signal.next()).toBe(true);
	const { events } = await subscription.next(subscription.cursor, 1);
	expect(events.map(({ type }) => type)).toEqual(["agent.gone"]);
	subscription.end();
	signal.end();
});

describe("between two polls", () => {
	const { store } = resort.context;
	const poll = setTimeout(() => {}, 0);
	const spy = () => ({
		began: spyOn(globalThis, "setInterval").mockReturnValue(poll),
		ended: spyOn(globalThis, "clearInterval"),
		read: spyOn(store, "read"),
	});
	let spies: ReturnType<typeof spy>;
	beforeEach(() => {
		spies = spy();
	});
	afterEach(() => {
		for (const one of Object.values(spies)) one.mockRestore();
	});

	async function subscribe(log: EventLog, filter = all) {
		const signal = new WaitSignal(2_000);
		const wake = spyOn(signal, "wake");
		const subscription = log.subscribe(signal, filter, slot);
		await subscription.start();
		return { signal, wake, subscription };
	}

	const add = (agentId: string, count: number) =>
		store.write(function* () {
			for (let at = 0; at < count; at++) {
				yield* publish(store, {
					type: "postcard.sent",
					at,
					agentId,
					subjectId: "",
				});
			}
		});

	test("an event wakes those whom it concerns, and is cached while somebody waits", async () => {
		const { id } = await resort.register();
		const log = new EventLog(store);
		const { signal, subscription } = await subscribe(log);
		const others = publicFilter(new Set(["agent.did"]), null);
		const other = await subscribe(log, others);
		const start = subscription.cursor;
		const cached = () => log.peek(start, all).events.length;
		// There are more events than the log reads at once.
		await add(id, 101);
		let count = 0;
		while (count < 101 && (await signal.next())) {
			const page = await subscription.next(subscription.cursor, 100);
			count += page.events.length;
		}
		expect([count, cached()]).toEqual([101, 101]);
		expect(other.wake).not.toHaveBeenCalled();
		expect(other.subscription.cursor).toBe(subscription.cursor);
		const beyond = await subscription.next(Number.MAX_SAFE_INTEGER, 1);
		expect(beyond).toMatchObject({ events: [], isForgotten: true });
		await store.write(() => publishInternal(store, "agent.seen", id));
		expect(cached()).toBe(101);
		await store.write(() => publishInternal(store, "agent.changed", id));
		expect(cached()).toBe(0);
		spies.ended.mockClear();
		subscription.end();
		expect(spies.ended).not.toHaveBeenCalledWith(poll);
		other.subscription.end();
		expect(spies.ended).toHaveBeenCalledWith(poll);
		spies.read.mockClear();
		await add(id, 1);
		expect(spies.read).not.toHaveBeenCalled();
	});

	test("an id that a caller read from the database is not beyond the newest", async () => {
		const { id } = await resort.register();
		const { subscription } = await subscribe(new EventLog(store));
		const [row] = await resort.rows(
			`INSERT INTO events (type, at, agent_id) VALUES ('agent.did', 1, '${id}') RETURNING id`,
		);
		const cursor = Number(row?.id);
		expect(await subscription.next(cursor, 1)).toMatchObject({
			cursor,
			isForgotten: false,
		});
		subscription.end();
	});
});

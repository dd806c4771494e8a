import { expect, test } from "bun:test";
import { WaitSignal } from "../../../src/lib/wait-signal.ts";
import { publicFilter } from "../../../src/resort/events/event-filter.ts";
import { EventLog } from "../../../src/resort/events/event-log.ts";
import { publish } from "../../../src/resort/events/publish.ts";
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
		read: (task: Parameters<Store["read"]>[0]) =>
			reads.shift() ?? store.read(task),
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
	await store.write(() =>
		publish(store, { type: "agent.gone", at: 1, agentId: id }),
	);
	expect(await signal.next()).toBe(true);
	const { events } = await subscription.next(subscription.cursor, 1);
	expect(events.map(({ type }) => type)).toEqual(["agent.gone"]);
	subscription.end();
	signal.end();
});

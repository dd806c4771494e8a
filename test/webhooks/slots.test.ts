import { expect, spyOn, test } from "bun:test";
import { DeliverySlots } from "../../src/webhooks/delivery-slots.ts";

/** The receiver of a webhook that shares neither host nor network with another one. */
const recipient = (at: number) => ({
	id: `${at}`,
	agentId: `${at}`,
	network: `192.0.2.${at}`,
	url: `https://host${at}.test/`,
});

test.each([
	[2_000, 6],
	[2_001, 5],
])("after six took %d ms, %d run at once", async (durationMs, count) => {
	using clock = spyOn(performance, "now").mockReturnValue(1_000);
	const slots = new DeliverySlots();
	const ending = new AbortController();
	const acquireAll = () => [1, 2, 3, 4, 5, 6].map((at) => slots.acquire(recipient(at), ending.signal));
	const releases = await Promise.all(acquireAll());
	clock.mockReturnValue(1_000 + durationMs);
	for (const release of releases) release();
	const acquired = acquireAll();
	ending.abort();
	const results = await Promise.allSettled(acquired);
	const running = results.filter(({ status }) => status === "fulfilled");
	expect(running).toHaveLength(count);
});

import { expect, spyOn, test } from "bun:test";
import { DeliverySlots } from "../../src/webhooks/delivery-slots.ts";

/** The receiver of a webhook that shares neither host nor network with another one. */
const recipient = (at: number) => ({
	...{ id: `${at}`, agentId: `${at}`, network: `192.0.2.${at}` },
	url: `https://host${at}.test/`,
});

test.each([
	[2_000, 6],
	[2_001, 5],
])(
	"of six receivers that took %d ms, %d are served at once",
	async (durationMs, served) => {
		const clock = spyOn(performance, "now");
		const slots = new DeliverySlots();
		const ending = new AbortController();
		const acquireAll = () =>
			Array.from({ length: 6 }, (_, at) =>
				slots.acquire(recipient(at), ending.signal),
			);
		clock.mockReturnValue(1_000);
		const releases = await Promise.all(acquireAll());
		clock.mockReturnValue(1_000 + durationMs);
		for (const release of releases) release();
		clock.mockRestore();
		const second = acquireAll();
		await Promise.all(second.slice(0, 5));
		ending.abort();
		const settled = await Promise.allSettled(second);
		const isServed = settled.filter(({ status }) => status === "fulfilled");
		expect(isServed).toHaveLength(served);
	},
);

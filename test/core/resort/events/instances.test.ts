/** What happens at one instance wakes those who wait at another one of the same database. */
import { expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { describeOnPostgres } from "../../../support/requirements.ts";
import { useGuest, useInstances } from "../../../support/use-resort.ts";

// A file is served by one instance.
describeOnPostgres("at another instance", () => {
	const [one, two] = useInstances({ maxStayMs: 12 * HOUR_MS });
	const ada = useGuest(one);

	const untilAvailable = () => two.ask("GET", `/api/agents/${ada.id}/status?until=available&wait=60`);

	test("a check-out wakes who waits for the status", async () => {
		const waiting = untilAvailable();
		await two.untilWaiting();
		await one.ask("POST", "/api/checkout", { key: ada.key });
		const { body } = await waiting;
		expect(body.status).toBe("available");
	});

	test("a deactivation is 404", async () => {
		const waiting = untilAvailable();
		await two.untilWaiting();
		await one.ask("DELETE", "/api/me", { key: ada.key });
		expect((await waiting).status).toBe(404);
	});

	test("a stay that one of them ends wakes who waits", async () => {
		const waiting = untilAvailable();
		await two.untilWaiting();
		for (const resort of [one, two]) resort.advance(12 * HOUR_MS);
		await Promise.all([one.sweep(), two.sweep()]);
		expect((await waiting).body.status).toBe("available");
		const { body } = await two.ask("GET", "/api/events?since=0&types=agent.available");
		expect(body.events).toHaveLength(1);
	});

	test("an event answers who waits for events", async () => {
		// Also when the call comes late on a busy machine, it waits for what is after this.
		const { cursor } = (await two.ask("GET", "/api/events")).body;
		const waiting = two.ask("GET", `/api/events?since=${cursor}&wait=60`);
		await two.untilWaiting();
		await one.ask("POST", "/api/checkout", { key: ada.key });
		const { body } = await waiting;
		expect(body.events.map(({ type }) => type)).toEqual(["agent.available"]);
	});

	test("a key that ends there ends the call that waits with it", async () => {
		const waiting = two.ask("GET", "/api/me/events?wait=60", { key: ada.key });
		await two.untilWaiting();
		await one.ask("POST", "/api/me/api-key", { key: ada.key });
		expect((await waiting).status).toBe(401);
	});

	test("those who go on with the cursor miss none that were made side by side", async () => {
		const guests = await Promise.all(Array.from({ length: 12 }, () => one.register()));
		const { body } = await two.ask("GET", "/api/events");
		const told: string[] = [];
		const reading = (async () => {
			for (let { cursor } = body; told.length < 48; ) {
				const answer = await two.ask("GET", `/api/events?since=${cursor}&wait=60`);
				told.push(...answer.body.events.map(({ id }) => id));
				cursor = answer.body.cursor;
			}
		})();
		for (const path of ["checkin", "checkout", "checkin", "checkout"]) {
			await Promise.all(
				guests.map(({ key }, at) => (at % 2 ? one : two).ask("POST", `/api/${path}`, { key })),
			);
		}
		await reading;
		expect(told.map(Number)).toEqual(told.map(Number).toSorted((a, b) => a - b));
		expect(new Set(told).size).toBe(48);
	});
});

/** Tests of two instances of one database: events at one instance wake the calls that wait at the other. */
import { expect, test } from "bun:test";
import { describeOnPostgres } from "../../../support/requirements.ts";
import { useGuest, useInstances } from "../../../support/use-resort.ts";

// A SQLite file is served by only one instance.
describeOnPostgres("a call that waits for changes at another instance", () => {
	const [one, two] = useInstances();
	const ada = useGuest(one);

	test.each([
		[
			"the status after a check-out",
			"POST",
			"/api/checkout",
			"agents/ID/status?until=available&expect=available&",
			200,
		],
		["404 after a deactivation", "DELETE", "/api/me", "agents/ID/status?until=available&", 404],
		["401 after its key was replaced", "POST", "/api/me/api-key", "me/events?", 401],
	])("returns %s", async (_, method, path, asked, expected) => {
		const { id, key } = ada;
		const waiting = two.call("GET", `/api/${asked.replace("ID", id)}wait=60`, { key });
		await two.untilWaiting();
		await one.call(method, path, { key });
		expect((await waiting).status).toBe(expected);
	});

	test("returns every event of concurrent changes, in order", async () => {
		const guests = await Promise.all(Array.from({ length: 12 }, () => one.register()));
		const { body } = await two.call("GET", "/api/events");
		const told: string[] = [];
		const reading = (async () => {
			for (let { cursor } = body; told.length < 48; ) {
				const answer = await two.call("GET", `/api/events?since=${cursor}&wait=60`);
				told.push(...answer.body.events.map(({ id }) => id));
				cursor = answer.body.cursor;
			}
		})();
		for (const path of ["checkin", "checkout", "checkin", "checkout"]) {
			await Promise.all(
				guests.map(({ key }, at) => (at % 2 ? one : two).call("POST", `/api/${path}`, { key })),
			);
		}
		await reading;
		expect(told.map(Number)).toEqual(told.map(Number).toSorted((a, b) => a - b));
		expect(new Set(told).size).toBe(48);
	});
});

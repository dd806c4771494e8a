import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../../support/answers.ts";
import { TestResort } from "../../../support/resort.ts";
import { useResort } from "../../../support/use-resort.ts";
import { NOBODY } from "../../../support/values.ts";

const resort = useResort();

const own = (id: string, query: string) => resort.call("GET", `/api/agents/${id}/status${query}`);

const batch = (query: string) => resort.call("GET", `/api/agents/status${query}`);

describe("GET /api/agents/{id}/status with `until` and `wait`", () => {
	test("responds when the agent gets the status in `until`, and not before", async () => {
		const ada = await resort.guest();
		const bob = await resort.register({ name: "Bob" });
		let isAnswered = false;
		// Puts the status into the cache.
		await own(ada.id, "");
		const waiting = own(ada.id.toUpperCase(), "?until=available&wait=60").finally(() => {
			isAnswered = true;
		});
		await resort.untilWaiting();
		await resort.checkIn(bob);
		await resort.send("POST", "/api/activities/tidepool-float/do", { key: ada.key });
		// When this second call responds, the first one must still wait: if a change above had ended the first,
		// it would have responded earlier.
		const other = own(bob.id, "?until=available&wait=60");
		await resort.untilWaiting(2);
		await resort.checkOut(bob);
		await other;
		expect(isAnswered).toBe(false);
		await resort.checkOut(ada);
		const { status, body } = await waiting;
		expect(status).toBe(200);
		expect(body).toMatchObject({
			status: "available",
			agent: { id: ada.id },
			lastStay: { totalRelaxationPoints: expect.any(Number) },
		});
		expect((await own(ada.id, "")).body.status).toBe("available");
	});

	test("returns 404 immediately for an unknown agent", async () => {
		expectRefusal(await own(NOBODY, "?until=available&wait=60"), 404, "Agent not found");
	});
});

test.each([
	["?until=available", "wait is required with until", "wait"],
	["?wait=1", "until is required with wait", "until"],
	["?until=busy&wait=1", "until must be available or relaxing", "until"],
	["?expect=busy", "expect must be available or relaxing", "expect"],
	["?expect=", "expect must be available or relaxing", "expect"],
	...["0", "61", "1.5"].map((wait) => [
		`?until=available&wait=${wait}`,
		"wait must be a whole number from 1 to 60",
		"wait",
	]),
])("a status call with the query `%s` returns 400: %s", async (query, error, field) => {
	const ada = await resort.register();
	const one = await own(ada.id, query);
	const several = await batch(`${query}&ids=${ada.id}`);
	for (const { status, body } of [one, several]) {
		expect(status).toBe(400);
		expect(body).toMatchObject({ error, field });
	}
});

describe("GET /api/agents/status with `until` and `wait`", () => {
	test("returns all statuses when one agent gets the status in `until`, even if another was deactivated meanwhile", async () => {
		const [ada, bob, eve] = [await resort.guest(), await resort.guest(), await resort.guest()];
		const waiting = batch(`?ids=${ada.id},nobody,${bob.id},${eve.id}&until=available&wait=60`);
		const single = own(ada.id, "?until=available&wait=60");
		await resort.untilWaiting(2);
		await resort.deactivate(ada);
		expect((await single).status).toBe(404);
		await resort.checkOut(bob);
		const { body } = await waiting;
		const statuses = body.statuses.map(({ agent, status }) => [agent.id, status]);
		expect(statuses).toEqual([
			[bob.id, "available"],
			[eve.id, "relaxing"],
		]);
		expect(body.unknown).toEqual([ada.id, "nobody"]);
	});

	test("responds as soon as no known agent is left: at once, or when the last one is deactivated", async () => {
		const ada = await resort.guest();
		const nobody = crypto.randomUUID();
		const query = (ids: string) => `?ids=${ids}&until=available&wait=60`;
		const unknown = await batch(query(nobody));
		expect(unknown.body).toMatchObject({ statuses: [], unknown: [nobody] });
		const waiting = batch(query(ada.id));
		await resort.untilWaiting();
		await resort.deactivate(ada);
		expect((await waiting).body.statuses).toEqual([]);
	});
});

test("waiting status calls return the current status when the instance stops", async () => {
	const ada = await resort.guest();
	const waiting = own(ada.id, "?until=available&wait=60");
	await resort.untilWaiting();
	resort.context.eventLog.end();
	const { status, body } = await waiting;
	expect([status, body.status]).toEqual([200, "relaxing"]);
	const late = await own(ada.id, "?until=available&wait=60");
	expect(late.body.status).toBe("relaxing");
});

test("calls with `wait` that are answered immediately do not count towards the limit of waiting calls", async () => {
	const limited = new TestResort({ rateLimits: true });
	const { id } = await limited.guest();
	const get = async (path: string) => (await limited.call("GET", path)).status;
	const asking = (state: string) => `/api/agents/${id}/status?until=${state}&wait=60`;
	const waiting = Array.from({ length: 30 }, () => get(asking("available")));
	await limited.untilWaiting(30);
	const refused = await limited.call("GET", asking("available"));
	expectRefusal(refused, 429, "Too many waiting calls and streams");
	expect(refused.headers.get("retry-after")).toBe("5");
	expect(await get(asking("relaxing"))).toBe(200);
	expect(await get(`/api/agents/status?ids=${id}&until=relaxing&wait=60`)).toBe(200);
	expect(await get("/api/events?since=0&wait=60")).toBe(200);
	expect(await get("/api/events?wait=60")).toBe(429);
	limited.context.eventLog.end();
	expect(await Promise.all(waiting)).toEqual(Array(30).fill(200));
	await limited.close();
});

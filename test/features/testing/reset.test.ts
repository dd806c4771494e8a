import { describe, expect, spyOn, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { toRequest } from "../../support/calls.ts";
import { TestResort } from "../../support/resort.ts";
import { tables } from "../../support/store.ts";
import { until } from "../../support/until.ts";
import { useResort } from "../../support/use-resort.ts";
import { controlOf } from "./controls.ts";

test("POST /test/reset deletes the rows of every table", async () => {
	await using context = new TestResort({ testControls: true });
	await context.guest();
	await context.rows("INSERT INTO nonces VALUES ('n', 1)");
	await context.rows("INSERT INTO events (type, at, agent_id) VALUES ('agent.relaxing', 1, 'a')");
	const queries = tables.map((table) => `SELECT 1 FROM ${getTableName(table)}`);
	const rows = async () => (await Promise.all(queries.map((query) => context.rows(query)))).flat();
	expect((await rows()).length).toBeGreaterThanOrEqual(5);
	await controlOf(context)("POST", "reset");
	expect(await rows()).toEqual([]);
});

describe("test controls for readers of events", () => {
	const context = useResort({ testControls: true });
	const call = controlOf(context);
	const control = async (name: string, body?: object) => (await call("POST", name, body)).body;
	const read = async (query: string) => (await context.call("GET", `/api/events?${query}`)).body;

	test("POST /test/reset sends `reset: true` to all readers, and restarts event ids at 1", async () => {
		for (let round = 0; round < 2; round++) {
			expect(await read("since=0")).toMatchObject({ events: [], reset: false });
			await context.guest();
			await context.guest();
			const { events, cursor } = await read("since=0");
			expect(events.map(({ id }) => id)).toEqual(["1", "2"]);
			const waiting = [1, 2].map((since) => read(`since=${since}&types=agent.gone&wait=60`));
			await context.untilWaiting(2);
			await control("reset");
			const reset = { events: [], cursor: "0", reset: true };
			for (const answer of waiting) expect(await answer).toMatchObject(reset);
			expect(await read(`since=${cursor}`)).toMatchObject(reset);
			expect(await read("since=1")).toMatchObject(reset);
		}
	});

	test("POST /test/events sends `reset: true` to all readers, even to those with the newest cursor", async () => {
		await context.guest();
		const { cursor } = await read("");
		const waiting = ["", `since=${cursor}&`, "types=agent.gone&"].map((query) => read(`${query}wait=60`));
		await context.untilWaiting(3);
		expect(await control("events", { forget: true })).toMatchObject({ ok: true });
		const after = String(Number(cursor) + 1);
		const reset = { events: [], cursor: after, reset: true };
		for (const answer of waiting) expect(await answer).toMatchObject(reset);
		for (const since of [0, cursor]) expect(await read(`since=${since}`)).toMatchObject(reset);
		expect(await read(`since=${after}`)).toMatchObject({ reset: false });
		const { id } = await context.guest();
		const { events } = await read(`since=${after}`);
		expect(events).toMatchObject([{ type: "agent.relaxing", agent: { id } }]);
	});

	test("POST /test/streams disconnects waiting calls, which get no response", async () => {
		const { id } = await context.guest();
		await call("DELETE", "calls");
		const waiting = [
			// One more than the 30 waiting calls that rate limits would allow, which are off here.
			...Array<string>(30).fill("/api/events?wait=60"),
			`/api/agents/${id}/status?until=available&wait=60`,
		].map((path) => context.fetch(new Request(`http://resort.test${path}`)));
		await context.untilWaiting(31);
		const counts = { streams: 0, calls: 31 };
		expect(await control("streams", { cut: true })).toMatchObject(counts);
		for (const call of waiting) expect((await call).status).toBe(444);
		const { body } = await call("GET", "calls");
		expect(body.calls.map(({ status, fault }) => [status, fault])).toEqual(Array(31).fill([null, null]));
		expect(await control("streams", { cut: true })).toMatchObject({ calls: 0 });
	});

	test.each([
		["events", {}, "forget is required"],
		["events", { forget: false }, "forget must be true"],
		["streams", { cut: "true" }, "cut must be true"],
	])("POST /test/%s refuses the body %j with the error %p", async (name, body, error) => {
		const answer = await call("POST", name, body);
		expect(answer.status).toBe(400);
		expect(answer.body.error).toBe(error);
	});
});

test("POST /test/reset drops a delayed call, even if the delay ends while the reset is being committed", async () => {
	await using context = new TestResort({ testControls: true });
	expect(context.faults.arm({ operation: "registerAgent", delayMs: 500 }).id).toBe("1");
	const body = { name: "Late" };
	const held = context.fetch(toRequest("http://resort.test", "POST", "/api/agents", { body }));
	await until(() => context.faults.armed.length === 0);
	const { store } = context.context;
	const change = store.write.bind(store);
	const slow = spyOn(store, "write").mockImplementationOnce(async (task) => {
		const changing = change(task);
		await Bun.sleep(600);
		return changing;
	});
	await controlOf(context)("POST", "reset");
	slow.mockRestore();
	expect((await held).status).toBe(444);
	expect(await context.rows("SELECT 1 FROM agents")).toEqual([]);
});

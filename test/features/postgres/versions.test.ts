import { expect } from "bun:test";
import { EXTERNAL_CHANGE, type StoreEvent } from "../../../src/core/store/store.ts";
import type { PostgresStore } from "../../../src/features/postgres/postgres-store.ts";
import { Houses } from "./support/houses.ts";
import { openPostgres, testOnStore } from "./support/shared.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

function publish(store: PostgresStore, event: StoreEvent): Promise<void> {
	return store.write(function* () {
		yield* store.publish(event);
	});
}

const ended = { type: "credential.ended", agentId: "ada" };
const seen = { type: "agent.seen", agentId: "bob" };

testOnStore(
	"an instance receives an event of another even after writing to the same row of the table `heads` itself",
	async (one, url) => {
		const other = await openPostgres(url);
		await publish(one, seen);
		await other.checkFreshness();
		const received: StoreEvent[] = [];
		other.subscribe((event) => received.push(event));
		await publish(one, ended);
		// Published events are stored in the table `heads`. This event is stored in the same row as the previous,
		// because only concurrent transactions use different rows.
		await publish(other, seen);
		expect(received).toEqual([seen]);
		await other.checkFreshness();
		expect(received).toContainEqual(ended);
		expect(received).not.toContainEqual(EXTERNAL_CHANGE);
		await other.close();
	},
);

testOnStore(
	"an instance invalidates all caches if one change of another instance publishes over 1,900 characters of events",
	async (one, url) => {
		const other = await openPostgres(url);
		await publish(one, seen);
		await Promise.all([one.checkFreshness(), other.checkFreshness()]);
		const received: StoreEvent[] = [];
		const own: StoreEvent[] = [];
		other.subscribe((event) => received.push(event));
		one.subscribe((event) => own.push(event));
		// An event takes up the characters of its type and of its agent id, plus two more: 100 characters for
		// each event in `fitting`, and 1,900 for all 19 of them.
		const some: StoreEvent = { type: "t".repeat(96), agentId: "ad" };
		const last: StoreEvent = { type: "t".repeat(98), agentId: null };
		const fitting = [...Array(18).fill(some), last];
		const tooLong = fitting.with(0, { ...some, agentId: "ada" });
		for (const [events, expected] of [
			[fitting, fitting],
			[tooLong, [EXTERNAL_CHANGE]],
		] as const) {
			received.length = 0;
			own.length = 0;
			await one.write(function* () {
				for (const event of events) yield* one.publish(event);
			});
			await Promise.all([one.checkFreshness(), other.checkFreshness()]);
			expect(received).toEqual([...expected]);
			// An instance does not receive its own events again.
			expect(own).toEqual(events);
		}
		await other.close();
	},
);

testOnStore(
	"an instance misses no event of 100 concurrent changes of another, which use several rows of the table `heads`",
	async (one, url) => {
		const other = await openPostgres(url);
		let received = new Set<string | null>();
		let isExternal = false;
		other.subscribe((event) => {
			isExternal ||= event.type === EXTERNAL_CHANGE.type;
			received.add(event.agentId);
		});
		const ids = Array.from({ length: 100 }, (_, at) => `agent${at}`);
		for (let round = 0; round < 5; round++) {
			received = new Set();
			isExternal = false;
			const changes = ids.map((agentId) => publish(one, { ...seen, agentId }));
			await Promise.all(changes);
			await other.checkFreshness();
			if (!isExternal) expect(received).toEqual(new Set(ids));
		}
		await other.checkFreshness();
		await publish(one, ended);
		isExternal = false;
		await other.checkFreshness();
		expect(isExternal).toBe(false);
		expect(received).toContain("ada");
		const [row] = await one.query("select count(*) as slots from heads", []);
		expect(row?.slots).toBeWithin(2, 18);
		await other.close();
	},
	32,
);

testOnPostgres("a serving instance notices when the database is replaced by a backup", async () => {
	await using houses = await Houses.open({ count: 2 });
	const one = houses.at(0);
	const ada = await one.register();
	await one.call("POST", "/api/checkin", { key: ada.key });
	await one.call("POST", "/api/checkout", { key: ada.key });
	const statuses = async () => {
		const answers = await houses.atEach((context) => context.call("GET", `/api/agents/${ada.id}/status`));
		return answers.map(({ body }) => body.status);
	};
	expect(await statuses()).toEqual(["available", "available"]);
	const before = await houses.rows(
		"select string_agg(format('(%s,%s)', slot, n), ',') as heads from heads where slot > 0",
	);
	await one.call("POST", "/api/checkin", { key: ada.key });
	expect(await statuses()).toEqual(["relaxing", "relaxing"]);
	await houses.rows(
		`with stay as (delete from stays), agent as (update agents set newest_stay = 0)
			update heads set n = kept.n from (values ${before[0]?.heads}) as kept (slot, n) where heads.slot = kept.slot`,
	);
	expect(await statuses()).toEqual(["available", "available"]);
});

testOnPostgres(
	"once a newer version has migrated the database, an instance returns 503, even if it has a cached response",
	async () => {
		await using houses = await Houses.open({ count: 1 });
		const resort = houses.at(0);
		const { id } = await resort.register();
		const statusOf = async (path: string) => (await resort.call("GET", path)).status;
		const cached = `/api/agents/${id}/status`;
		expect([await statusOf(cached), await statusOf(cached)]).toEqual([200, 200]);
		await houses.rows("update heads set n = n + 1 where slot = 0");
		for (const path of [cached, "/api/lobby", "/api/health"]) {
			expect([path, await statusOf(path)]).toEqual([path, 503]);
		}
		expect((await resort.call("POST", "/api/agents")).status).toBe(503);
		expect(resort.log[0]).toMatchObject({
			message: "Storage unavailable",
			properties: {
				error: expect.stringContaining("A newer version of the resort has migrated the database"),
			},
		});
	},
);

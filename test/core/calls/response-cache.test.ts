import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { activities } from "../../../src/content/activities.ts";
import { ambiances } from "../../../src/content/ambiances.ts";
import { type Answer as CallAnswer, WrittenBody } from "../../../src/core/calls/answer.ts";
import { cacheKey, ResponseCache } from "../../../src/core/calls/response-cache.ts";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { type Operation, operation } from "../../../src/core/resort/operation.ts";
import { Answer } from "../../../src/core/resort/schemas.ts";
import { EXTERNAL_CHANGE } from "../../../src/core/store/store.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { openTestStore, TestResort } from "../../support/resort.ts";
import type { TestStore } from "../../support/store.ts";
import { useResort } from "../../support/use-resort.ts";
import { first } from "../../support/values.ts";

const context = useResort();

/**
 * Renames all agents directly in the database, so that cached responses still contain the former name.
 */
const rename = (name: string) => context.rows(`UPDATE agents SET name = '${name}'`);

const read = async (path: string) => (await context.call("GET", path)).body;

describe("a cached response", () => {
	test("is returned until a write changes its content", async () => {
		const { id, key } = await context.guest();
		const paths = [`/api/agents/${id}`, `/api/agents/${id}/status`, "/api/agents"];
		for (const path of paths) {
			const first = await context.call("GET", path);
			await rename("Nobody");
			expect((await context.call("GET", path)).text).toContain('"name":"Ada"');
			expect(first.text).toContain('"name":"Ada"');
			await context.call("PATCH", "/api/me", { key, body: { name: "Ada" } });
		}
		await rename("Somebody");
		await context.call("PATCH", "/api/me", { key, body: { bio: "new" } });
		for (const path of paths) {
			expect((await context.call("GET", path)).text).toContain("Somebody");
		}
	});

	test("expires when an activity in it ends, even while the response is being created", async () => {
		const { id, key } = await context.guest();
		await context.call("POST", "/api/activities/tidepool-float/do", { key });
		const path = `/api/agents/${id}/status`;
		const started = (await read(path)).stay.currentActivity?.startedAt ?? "";
		const { durationMinutes } = first(activities.filter(({ id }) => id === "tidepool-float"));
		const endMs = Date.parse(started) + durationMinutes * MINUTE_MS;
		for (let readsBefore = 0; readsBefore < 10; readsBefore++) {
			// Invalidates the cached response.
			await context.call("PATCH", "/api/me", { key, body: { name: "Ada" } });
			for (const asked of [path, "/api/lobby"]) {
				let reads = 0;
				Object.defineProperty(context, "nowMs", {
					configurable: true,
					get: () => endMs - (reads++ < readsBefore ? 1 : 0),
				});
				await read(asked);
				Object.defineProperty(context, "nowMs", { value: endMs, writable: true });
				expect((await context.call("GET", asked)).text).toContain('"currentActivity":null');
			}
		}
	});

	test("is invalidated by a change of the agent, whatever the spelling of the agent's id in the path", async () => {
		const { id, key } = await context.guest();
		const spellings = [
			`/api/agents/${id.toUpperCase()}/status`,
			`/api/agents/${id}/status?_=1`,
			`/api/agents/%30${id.slice(1)}/status`,
		];
		for (const path of spellings) {
			expect((await read(path)).status).toBe("relaxing");
		}
		await context.call("POST", "/api/checkout", { key });
		for (const path of spellings) {
			expect((await read(path)).status).toBe("available");
		}
	});

	test("of GET /api/lobby contains one of several texts as `ambiance`", async () => {
		const { key } = await context.guest();
		const lobbies = await Promise.all(Array.from({ length: 100 }, () => context.call("GET", "/api/lobby")));
		const seen = new Set(lobbies.map(({ body }) => body.ambiance));
		expect(seen.size).toBeGreaterThan(1);
		expect(ambiances).toEqual(expect.arrayContaining([...seen]));
		await rename("Nobody");
		for (let call = 0; call < 20; call++) {
			const { ambiance, guests } = await read("/api/lobby");
			expect([seen.has(ambiance), first(guests).name]).toEqual([true, "Ada"]);
		}
		await context.call("PATCH", "/api/me", { key, body: { bio: "new" } });
		for (let call = 0; call < 20; call++) {
			expect(first((await read("/api/lobby")).guests).name).toBe("Nobody");
		}
	});

	test("is created again after another program has changed the database", async () => {
		using folder = new TemporaryFolder();
		const database = join(folder.path, "resort.sqlite");
		const kept = new TestResort({ database });
		const { id } = await kept.guest();
		const path = `/api/agents/${id}/status`;
		await kept.call("GET", path);
		const other = new Database(database);
		other.run("UPDATE agents SET name = 'Bob'");
		other.close();
		await Bun.sleep(2);
		expect((await kept.call("GET", path)).body.agent.name).toBe("Bob");
		await kept.close();
	});
});

/** An operation whose response is about one agent. */
const badge: Operation = operation("GET /api/agents/:id/badge", {
	id: "getBadge",
	summary: "A badge",
	credential: "none",
	answers: { 200: Answer({ name: Type.String() }) },
	invalidatedBy: "agent",
	run: () => ({ name: "Ada" }),
});

/** A list whose responses are invalidated when a postcard is sent. */
const list: Operation = { ...badge, id: "listPostcards", path: "/list", invalidatedBy: ["postcard.sent"] };
/** A document whose responses are invalidated only when another program changes the database. */
const document: Operation = { ...badge, id: "getDocument", path: "/llms.txt", invalidatedBy: "nothing" };

const EXTERNAL = EXTERNAL_CHANGE.type;
const answer: CallAnswer = { status: 200, headers: {}, body: null, failure: null };

describe("the response cache", () => {
	let store: TestStore;
	let nowMs: number;
	let cache: ResponseCache;

	beforeEach(() => {
		store = openTestStore();
		nowMs = 0;
		cache = new ResponseCache({ store, clock: () => nowMs, random: systemRandom }, [badge, list, document]);
	});
	afterEach(() => store.close());

	const keep = (key: string, operation = document, more: Partial<CallAnswer> = {}) =>
		cache.findOrCreate(key, operation, async () => ({ ...answer, ...more }));
	const badgeKey = (id: string) => cacheKey(badge, { id }, {});
	const happen = (type: string, agentId: string) => store.write(() => store.publish({ type, agentId }));

	test.each([
		["invalidates", "a list of postcards when one is sent", "/list", "postcard.sent", list],
		["invalidates", "a badge when its agent changes", badgeKey("a"), "agent.changed", badge],
		["keeps", "a list of postcards when an agent changes", "/list", "agent.changed", list],
		["keeps", "a badge when another agent changes", badgeKey("b"), "agent.changed", badge],
		["keeps", "a document when an agent changes", "/llms.txt", "agent.changed", document],
		["invalidates", "a list when another program changes the database", "/list", EXTERNAL, list],
		["invalidates", "a badge when another program changes the database", badgeKey("b"), EXTERNAL, badge],
		["invalidates", "a document when another program changes the database", "/llms.txt", EXTERNAL, document],
	])(
		"%s the response for %s, even while the response is being created",
		async (effect, _, key, type, operation) => {
			const isKept = effect === "keeps";
			const created = Promise.withResolvers<CallAnswer>();
			const making = cache.findOrCreate(key, operation, () => created.promise);
			await happen(type, "a");
			created.resolve(answer);
			await making;
			expect(cache.find(key) !== undefined).toBe(isKept);
			await keep(key, operation);
			await happen(type, "a");
			expect(cache.find(key) !== undefined).toBe(isKept);
		},
	);

	test("creates a response once for simultaneous calls, and again after an event that invalidates it", async () => {
		let count = 0;
		const created = Promise.withResolvers<CallAnswer>();
		const call = () =>
			cache.findOrCreate("/list", list, () => {
				count++;
				return created.promise;
			});
		const calls = [call(), call()];
		expect(count).toBe(1);
		await happen("postcard.sent", "a");
		calls.push(call(), call());
		expect(count).toBe(2);
		created.resolve(answer);
		expect(await Promise.all(calls)).toHaveLength(4);
	});

	test('creates a response for the second of two simultaneous calls if the first fails with "unavailable"', async () => {
		const late = Promise.withResolvers<CallAnswer>();
		const first = cache.findOrCreate("/list", list, () => late.promise);
		const second = keep("/list", list);
		late.reject(new ResortError("unavailable", "Storage unavailable"));
		expect(first).rejects.toThrow("Storage unavailable");
		expect(await second).toEqual(answer);
	});

	test.each([
		["does not return", -1],
		["returns", 0],
		["returns", 9],
		["does not return", 10],
	])("%s a response that is valid from 0 to 9 ms if the clock shows %d ms", async (verb, timeMs) => {
		await keep("/", document, { untilMs: 10 });
		nowMs = timeMs;
		expect(cache.find("/") !== undefined).toBe(verb === "returns");
	});

	test.each([
		["stores", "the maximum of 512 characters", 512],
		["does not store", "one character more than the maximum of 512", 513],
	])("%s a response whose key has %s", async (verb, _, length) => {
		const key = `/${"k".repeat(length - 1)}`;
		await keep(key);
		expect(cache.find(key) !== undefined).toBe(verb === "stores");
	});

	test("stores at most 20,480 responses about agents, and evicts none of them for lists or documents", async () => {
		for (let at = 0; at <= 20_480; at++) await keep(badgeKey(`a${at}`), badge);
		expect(cache.find(badgeKey("a0"))).toBeUndefined();
		expect(cache.find(badgeKey("a1"))).toBeDefined();
		const body = WrittenBody.write("x".repeat(500_000));
		for (let at = 0; at < 100; at++) await keep(`/list?x=${at}`, list, { body });
		expect(cache.size).toBe(20_480 + 12);
		for (let at = 0; at < 6_000; at++) await keep(`/small/${at}`);
		expect(cache.size).toBe(20_480 + 4_096);
		expect(cache.find(badgeKey("a1"))).toBeDefined();
	});
});

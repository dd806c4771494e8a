import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { activities } from "../../src/content/activities.ts";
import { ambiances } from "../../src/content/ambiances.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/clock.ts";
import { Body } from "../../src/pipeline/body.ts";
import {
	type Kind,
	keyOf,
	type Ready,
	ReadyAnswers,
} from "../../src/pipeline/ready.ts";
import type { EventType } from "../../src/resort/events/publish.ts";
import { operation } from "../../src/resort/operation.ts";
import { Answer } from "../../src/resort/schemas.ts";
import { EXTERNAL_CHANGE } from "../../src/store/store.ts";
import { first } from "../support/answers.ts";
import { temporaryFolder } from "../support/executable.ts";
import { openTestStore, TestResort } from "../support/resort.ts";
import type { TestStore } from "../support/store.ts";

let context: TestResort;

beforeEach(() => {
	context = new TestResort();
});
afterEach(() => context.close());

/** Changes every name behind the service's back: only an answer that is made anew shows it. */
const rename = (name: string) =>
	context.rows(`UPDATE agents SET name = '${name}'`);

const read = async (path: string) => (await context.ask("GET", path)).body;

describe("an answer that may be kept", () => {
	test("is given again until a write changes it", async () => {
		const { id, key } = await context.guest();
		const paths = [
			`/api/agents/${id}`,
			`/api/agents/${id}/status`,
			"/api/lobby",
		];
		for (const path of paths) {
			const first = await context.ask("GET", path);
			await rename("Nobody");
			expect((await context.ask("GET", path)).text).toContain('"name":"Ada"');
			expect(first.text).toContain('"name":"Ada"');
			await context.ask("PATCH", "/api/me", { key, body: { name: "Ada" } });
		}
		await rename("Somebody");
		await context.ask("PATCH", "/api/me", { key, body: { bio: "new" } });
		for (const path of paths) {
			expect((await context.ask("GET", path)).text).toContain("Somebody");
		}
	});

	test("ends with an activity that ended while it was made", async () => {
		const { id, key } = await context.guest();
		await context.ask("POST", "/api/activities/tidepool-float/do", { key });
		const path = `/api/agents/${id}/status`;
		const started = (await read(path)).stay.currentActivity?.startedAt ?? "";
		const { durationMinutes } = first(
			activities.filter(({ id }) => id === "tidepool-float"),
		);
		const endMs = Date.parse(started) + durationMinutes * MINUTE_MS;
		for (let readsBefore = 0; readsBefore < 10; readsBefore++) {
			// So that it is made anew.
			await context.ask("PATCH", "/api/me", { key, body: { name: "Ada" } });
			for (const asked of [path, "/api/lobby"]) {
				let reads = 0;
				Object.defineProperty(context, "nowMs", {
					configurable: true,
					get: () => endMs - (reads++ < readsBefore ? 1 : 0),
				});
				await read(asked);
				Object.defineProperty(context, "nowMs", {
					value: endMs,
					writable: true,
				});
				expect((await context.ask("GET", asked)).text).toContain(
					'"currentActivity":null',
				);
			}
		}
	});

	test("of one agent is not emptied by what another one does", async () => {
		const [ada, bob] = [await context.guest(), await context.guest()];
		const path = `/api/agents/${ada.id}/status`;
		await read(path);
		await rename("Nobody");
		await context.ask("POST", "/api/activities/tidepool-float/do", {
			key: bob.key,
		});
		expect((await read(path)).agent.name).toBe("Ada");
	});

	test("is given anew when the longest profile changes", async () => {
		const long = "\u{1F334}".repeat(50);
		const list = Array(10).fill(long);
		const { id, key } = await context.register({
			bio: "\u{1F334}".repeat(500),
			relaxationStyle: list,
			comfortObjects: list,
			interests: list,
		});
		await read(`/api/agents/${id}`);
		await context.ask("PATCH", "/api/me", { key, body: { name: "Changed" } });
		expect((await read(`/api/agents/${id}`)).agent.name).toBe("Changed");
	});

	test.each([
		[
			"/api/experiences",
			"?category=%20&offset=0&sort=rating",
			"?offset=00",
			"?sort=newest&sort=rating&x=1",
		],
		[
			"/api/experiences?category=tea%20for%20two",
			"&sort=rating",
			"&category=Tea+FOR+two",
			"&category=%20tea%20for%20two%09",
		],
		[
			"/api/experiences?limit=100&offset=7",
			"&limit=0100",
			"&offset=0000000007",
		],
		["/api/experiences/leaderboard", "?limit=20", "?limit=0020&category="],
		["/api/postcards", "?limit=20", "?offset=0", "?offset=0&limit=020"],
	])("of %s is one for all spellings of its query", async (path, ...others) => {
		await read(path);
		await read(path);
		const { count } = context.ready;
		for (const other of others) await read(path + other);
		for (const other of others) await read(path + other);
		expect(context.ready.count).toBe(count);
	});

	test("is kept for the one spelling of an agent's address", async () => {
		const { id, key } = await context.guest();
		const spellings = [
			`/api/agents/${id.toUpperCase()}/status`,
			`/api/agents/${id}/status?x=1`,
			`/api/agents/%30${id.slice(1)}/status`,
		];
		for (const path of spellings) {
			expect((await read(path)).status).toBe("relaxing");
		}
		await context.ask("POST", "/api/checkout", { key });
		for (const path of spellings) {
			expect((await read(path)).status).toBe("available");
		}
	});

	test("ends when an activity has taken its time, and goes back with the clock", async () => {
		const { id, key } = await context.guest();
		await context.ask("POST", "/api/activities/tidepool-float/do", { key });
		const path = `/api/agents/${id}/status`;
		expect((await read(path)).stay.currentActivity).not.toBeNull();
		expect(
			(await read("/api/lobby")).guests[0]?.currentActivity,
		).not.toBeNull();
		context.advance(3 * HOUR_MS);
		expect((await read(path)).stay.currentActivity).toBeNull();
		expect((await read("/api/lobby")).guests[0]?.currentActivity).toBeNull();
		context.advance(-3 * HOUR_MS + MINUTE_MS);
		expect((await read(path)).stay.currentActivity).not.toBeNull();
		expect(
			(await read("/api/lobby")).guests[0]?.currentActivity,
		).not.toBeNull();
	});

	test("of the lobby ends at midnight", async () => {
		const { key } = await context.guest();
		await context.ask("POST", "/api/checkout", { key });
		expect((await read("/api/lobby")).totalGuestsToday).toBe(1);
		context.advance(DAY_MS);
		expect((await read("/api/lobby")).totalGuestsToday).toBe(0);
	});

	test("of the lobby has the same ambiance for a minute", async () => {
		const seen = new Set<string>();
		for (let minute = 0; minute < 60; minute++) {
			const { ambiance } = await read("/api/lobby");
			expect(ambiances).toContain(ambiance);
			seen.add(ambiance);
			context.advance(MINUTE_MS - 1);
			expect((await read("/api/lobby")).ambiance).toBe(ambiance);
			context.advance(1);
		}
		expect(seen.size).toBeGreaterThan(1);
	});

	test("has a request id of its own each time", async () => {
		const { id } = await context.register();
		const path = `/api/agents/${id}/status`;
		const ids = new Set<string | null>();
		for (let at = 0; at < 5; at++) {
			const { headers } = await context.ask("GET", path);
			ids.add(headers.get("x-request-id"));
		}
		expect(ids.size).toBe(5);
		const { headers } = await context.ask("GET", path, {
			headers: { "x-request-id": "mine" },
		});
		expect(headers.get("x-request-id")).toBe("mine");
	});

	test("has the same header fields and body as the first one", async () => {
		const { id } = await context.guest({ name: "Zoë 🌊" });
		for (const path of [
			`/api/agents/${id}/status`,
			"/api/activities",
			"/api/skill",
			"/openapi.json",
			"/api/experiences?sort=newest&limit=3",
		]) {
			const [first, second] = [
				await context.ask("GET", path),
				await context.ask("GET", path),
			];
			const fields = ({ headers }: typeof first) =>
				[...headers].filter(([name]) => name !== "x-request-id");
			expect(second.text).toBe(first.text);
			expect(fields(second)).toEqual(fields(first));
		}
	});

	test("is 304 to who has the document already", async () => {
		const { headers } = await context.ask("GET", "/api/skill");
		await context.ask("GET", "/api/skill");
		const again = await context.ask("GET", "/api/skill", {
			headers: { "if-none-match": headers.get("etag") ?? "" },
		});
		expect([again.status, again.text]).toEqual([304, ""]);
	});

	test("is made anew once another program has changed the file", async () => {
		using folder = temporaryFolder();
		const database = join(folder.path, "resort.sqlite");
		const kept = new TestResort({ database });
		const { id } = await kept.guest();
		const path = `/api/agents/${id}/status`;
		await kept.ask("GET", path);
		const other = new Database(database);
		other.run("UPDATE agents SET name = 'Bob'");
		other.close();
		await Bun.sleep(2);
		expect((await kept.ask("GET", path)).body.agent.name).toBe("Bob");
		await kept.close();
	});
});

/** A route about an agent, as a later feature would add it. */
const badge = operation({
	id: "getBadge",
	method: "GET",
	path: "/api/agents/:id/badge",
	summary: "A badge",
	tag: "Status",
	credential: "none",
	answers: { 200: Answer({ name: Type.String() }) },
	invalidatedBy: "agent",
	run: () => ({ name: "Ada" }),
});

describe("the memory of ready answers", () => {
	let store: TestStore;
	let answers: ReadyAnswers;

	beforeEach(() => {
		store = openTestStore();
		answers = new ReadyAnswers(store);
	});
	afterEach(() => store.close());

	const ready = (kind: Kind, text = "x".repeat(1_000)): Ready => ({
		kind,
		body: Body.of(text),
		headers: new Headers(),
		hasEtag: true,
		fromMs: 0,
		untilMs: Number.POSITIVE_INFINITY,
		...answers.begin(kind),
		size: text.length,
		isHot: false,
	});
	const keep = (key: string, kind: Kind, more: Partial<Ready> = {}) =>
		answers.keep(key, { ...ready(kind), ...more }, answers.begin(kind));
	const happen = (type: EventType, agentId: string) =>
		store.write(function* () {
			yield* store.publish({ type, agentId });
		});
	const document: Kind = { path: "/llms.txt", invalidatedBy: "nothing" };

	test("ends the answer of a new operation about an agent with any news of that agent, and no other", async () => {
		answers.add([badge]);
		const key = (id: string) => keyOf(badge.path, { id }, {});
		keep(key("a"), badge);
		keep(key("b"), badge);
		await happen("agent.changed", "a");
		expect(answers.find(key("a"), 1)).toBeUndefined();
		expect(answers.find(key("b"), 1)).toBeDefined();
	});

	test("ends a list with news of its types alone", async () => {
		const list: Kind = { path: "/list", invalidatedBy: ["postcard.sent"] };
		answers.add([list]);
		keep("/list", list);
		await happen("agent.did", "a");
		expect(answers.find("/list", 1)).toBeDefined();
		await happen("postcard.sent", "a");
		expect(answers.find("/list", 1)).toBeUndefined();
	});

	test("keeps nothing that news may have ended while it was made", async () => {
		const list: Kind = { path: "/list", invalidatedBy: ["postcard.sent"] };
		answers.add([list, badge]);
		for (const [kind, type, key] of [
			[list, "postcard.sent", "/list"],
			[badge, "agent.changed", keyOf(badge.path, { id: "a" }, {})],
		] as const) {
			const reading = answers.begin(kind);
			expect(answers.holds(key, reading)).toBe(true);
			await happen(type, "a");
			expect(answers.holds(key, reading)).toBe(false);
			answers.keep(key, ready(kind), reading);
			expect(answers.find(key, 1)).toBeUndefined();
		}
	});

	test("keeps the answer of an agent while news of others comes, but not while much comes", async () => {
		answers.add([badge]);
		const key = keyOf(badge.path, { id: "a" }, {});
		const reading = answers.begin(badge);
		const others = (count: number) =>
			store.write(function* () {
				for (let at = 0; at < count; at++) {
					yield* store.publish({ type: "agent.did", agentId: `${at}` });
				}
			});
		await others(1_024);
		expect(answers.holds(key, reading)).toBe(true);
		await others(1);
		expect(answers.holds(key, reading)).toBe(false);
	});

	test("ends everything when another program may have written", async () => {
		answers.add([badge]);
		keep("/document", document);
		keep(keyOf(badge.path, { id: "a" }, {}), badge);
		await store.write(function* () {
			yield* store.publish(EXTERNAL_CHANGE);
		});
		expect(answers.count).toBe(0);
	});

	test.each([
		[-1, false],
		[0, true],
		[9, true],
		[10, false],
	])("an answer of 0 to 10 at %d: %p", (nowMs, isFound) => {
		keep("/", document, { untilMs: 10 });
		expect(answers.find("/", nowMs) !== undefined).toBe(isFound);
	});

	test.each([
		[512, true],
		[513, false],
	])("of a key of %d characters: %p", (length, isKept) => {
		const key = `/${"k".repeat(length - 1)}`;
		keep(key, document);
		expect(answers.find(key, 1) !== undefined).toBe(isKept);
	});

	test.each([
		["grown", 100, 500_000],
		["shrunk", 500_000, 100],
	])(
		"finds an answer that has %s past the bound between small and large",
		(_, before, after) => {
			const list: Kind = { path: "/list", invalidatedBy: ["postcard.sent"] };
			answers.add([list]);
			for (const size of [before, after]) {
				const body = Body.of("x".repeat(size));
				keep("/list", list, { body });
				expect(answers.find("/list", 1)?.body).toBe(body);
				expect(answers.count).toBe(1);
			}
		},
	);

	test("ends a large answer about an agent with news of that agent", async () => {
		answers.add([badge]);
		const key = keyOf(badge.path, { id: "a" }, {});
		keep(key, badge, { body: Body.of("x".repeat(100_000)) });
		await happen("agent.changed", "a");
		expect(answers.find(key, 1)).toBeUndefined();
	});

	test("keeps what has a query when it is made again, and what takes long at once", () => {
		keep("/?a=1", document);
		expect(answers.find("/?a=1", 1)).toBeUndefined();
		keep("/?a=1", document);
		expect(answers.find("/?a=1", 1)).toBeDefined();
		const body = Body.of("x".repeat(1024 * 1024));
		keep("/?a=2", document, { body, size: body.size });
		expect(answers.find("/?a=2", 1)).toBeDefined();
	});

	test("keeps nothing of a flood of questions, and what is asked for beside it", () => {
		for (let at = 0; at < 50_000; at++) {
			keep(`/?x=${at}`, document);
			if (at % 1_000 === 0 && answers.find("/?a=1", 1) === undefined) {
				keep("/?a=1", document);
			}
		}
		expect(answers.count).toBe(1);
		expect(answers.find("/?a=1", 1)).toBeDefined();
	});

	test("keeps answers of agents apart, so that others push out none of them", () => {
		answers.add([badge]);
		const key = keyOf(badge.path, { id: "a" }, {});
		keep(key, badge);
		for (let at = 0; at < 300; at++) {
			const body = Body.of("x".repeat(500_000));
			keep(`/large/${at}`, document, { body, size: body.size });
		}
		for (let at = 0; at < 6_000; at++) keep(`/small/${at}`, document);
		expect(answers.find(key, 1)).toBeDefined();
		expect(answers.count).toBeWithin(4_900, 5_002);
	});
});

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { KeptAnswer } from "../../src/answers/kept-answer.ts";
import { KeptAnswers } from "../../src/answers/kept-answers.ts";
import { activities } from "../../src/content/activities.ts";
import { ambiances } from "../../src/content/ambiances.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/clock.ts";
import { Changes } from "../../src/store/changes.ts";
import { first } from "../support/answers.ts";
import { temporaryFolder } from "../support/executable.ts";
import { TestResort } from "../support/resort.ts";

let house: TestResort;

beforeEach(() => {
	house = new TestResort();
});
afterEach(() => house.close());

/** Changes every name behind the service's back: only an answer that is made anew shows it. */
const rename = (name: string) =>
	house.resort.store.sqlite.run("UPDATE agents SET name = ?", [name]);

const read = async (path: string) => (await house.ask("GET", path)).body;

describe("an answer that may be kept", () => {
	test("is given again until a write changes it", async () => {
		const { id, key } = await house.guest();
		const paths = [
			`/api/agents/${id}`,
			`/api/agents/${id}/status`,
			"/api/lobby",
		];
		for (const path of paths) {
			const first = await house.ask("GET", path);
			rename("Nobody");
			expect((await house.ask("GET", path)).text).toContain('"name":"Ada"');
			expect(first.text).toContain('"name":"Ada"');
			await house.ask("PATCH", "/api/me", { key, body: { name: "Ada" } });
		}
		rename("Somebody");
		await house.ask("PATCH", "/api/me", { key, body: { bio: "new" } });
		for (const path of paths) {
			expect((await house.ask("GET", path)).text).toContain("Somebody");
		}
	});

	test("ends with an activity that ended while it was made", async () => {
		const { id, key } = await house.guest();
		await house.ask("POST", "/api/activities/tidepool-float/do", { key });
		const path = `/api/agents/${id}/status`;
		const started = (await read(path)).stay.currentActivity?.startedAt ?? "";
		const { durationMinutes } = first(
			activities.filter(({ id }) => id === "tidepool-float"),
		);
		const endMs = Date.parse(started) + durationMinutes * MINUTE_MS;
		for (let readsBefore = 0; readsBefore < 10; readsBefore++) {
			// So that it is made anew.
			await house.ask("PATCH", "/api/me", { key, body: { name: "Ada" } });
			for (const asked of [path, "/api/lobby"]) {
				let reads = 0;
				Object.defineProperty(house, "nowMs", {
					configurable: true,
					get: () => endMs - (reads++ < readsBefore ? 1 : 0),
				});
				await read(asked);
				Object.defineProperty(house, "nowMs", { value: endMs, writable: true });
				expect((await house.ask("GET", asked)).text).toContain(
					'"currentActivity":null',
				);
			}
		}
	});

	test("of one agent is not emptied by what another one does", async () => {
		const [ada, bob] = [await house.guest(), await house.guest()];
		const path = `/api/agents/${ada.id}/status`;
		await read(path);
		rename("Nobody");
		await house.ask("POST", "/api/activities/tidepool-float/do", {
			key: bob.key,
		});
		expect((await read(path)).agent.name).toBe("Ada");
	});

	test("is kept for the one spelling of an agent's address", async () => {
		const { id, key } = await house.guest();
		const spellings = [
			`/api/agents/${id.toUpperCase()}/status`,
			`/api/agents/${id}/status?x=1`,
			`/api/agents/%30${id.slice(1)}/status`,
		];
		for (const path of spellings) {
			expect((await read(path)).status).toBe("relaxing");
		}
		await house.ask("POST", "/api/checkout", { key });
		for (const path of spellings) {
			expect((await read(path)).status).toBe("available");
		}
	});

	test("ends when an activity has taken its time, and goes back with the clock", async () => {
		const { id, key } = await house.guest();
		await house.ask("POST", "/api/activities/tidepool-float/do", { key });
		const path = `/api/agents/${id}/status`;
		expect((await read(path)).stay.currentActivity).not.toBeNull();
		expect(
			(await read("/api/lobby")).guests[0]?.currentActivity,
		).not.toBeNull();
		house.advance(3 * HOUR_MS);
		expect((await read(path)).stay.currentActivity).toBeNull();
		expect((await read("/api/lobby")).guests[0]?.currentActivity).toBeNull();
		house.advance(-3 * HOUR_MS + MINUTE_MS);
		expect((await read(path)).stay.currentActivity).not.toBeNull();
		expect(
			(await read("/api/lobby")).guests[0]?.currentActivity,
		).not.toBeNull();
	});

	test("of the lobby ends at midnight", async () => {
		const { key } = await house.guest();
		await house.ask("POST", "/api/checkout", { key });
		expect((await read("/api/lobby")).totalGuestsToday).toBe(1);
		house.advance(DAY_MS);
		expect((await read("/api/lobby")).totalGuestsToday).toBe(0);
	});

	test("of the lobby has an ambiance of its own each time", async () => {
		await house.guest({ name: `${ambiances[0]}`.slice(0, 90) });
		const seen = new Set<string>();
		for (let at = 0; at < 200; at++) {
			const { ambiance, guests } = await read("/api/lobby");
			expect(ambiances).toContain(ambiance);
			expect(guests).toHaveLength(1);
			seen.add(ambiance);
		}
		expect(seen.size).toBeGreaterThan(ambiances.length / 2);
	});

	test("has a request id of its own each time", async () => {
		const { id } = await house.register();
		const path = `/api/agents/${id}/status`;
		const ids = new Set<string | null>();
		for (let at = 0; at < 5; at++) {
			const { headers } = await house.ask("GET", path);
			ids.add(headers.get("x-request-id"));
		}
		expect(ids.size).toBe(5);
		const { headers } = await house.ask("GET", path, {
			headers: { "x-request-id": "mine" },
		});
		expect(headers.get("x-request-id")).toBe("mine");
	});

	test("has the same header fields and body as the first one", async () => {
		const { id } = await house.guest({ name: "Zoë 🌊" });
		for (const path of [
			`/api/agents/${id}/status`,
			"/api/activities",
			"/api/skill",
			"/openapi.json",
			"/api/experiences?sort=newest&limit=3",
		]) {
			const [first, second] = [
				await house.ask("GET", path),
				await house.ask("GET", path),
			];
			const fields = ({ headers }: typeof first) =>
				[...headers].filter(([name]) => name !== "x-request-id");
			expect(second.text).toBe(first.text);
			expect(fields(second)).toEqual(fields(first));
		}
	});

	test("is 304 to who has the document already", async () => {
		const { headers } = await house.ask("GET", "/api/skill");
		await house.ask("GET", "/api/skill");
		const again = await house.ask("GET", "/api/skill", {
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

describe("the memory of answers", () => {
	const answer: KeptAnswer = {
		kind: {
			route: "/api/lobby",
			headers: new Headers(),
			hasEtag: false,
			topic: null,
		},
		body: "x".repeat(1_000),
		version: 0,
		fromMs: 0,
		untilMs: Number.POSITIVE_INFINITY,
	};

	test("is bounded: what was kept first is forgotten", () => {
		const answers = new KeptAnswers(new Changes(), 100_000);
		for (let at = 0; at < 10_000; at++) {
			answers.keep(`/${at}`, answer);
			expect(answers.find(`/${at}`, 1)).toBe(answer);
			expect(answers.size).toBeLessThan(100);
		}
		expect(answers.size).toBeGreaterThan(70);
		expect(answers.find("/0", 1)).toBeUndefined();
	});

	test("counts an answer once that is kept again and again, or forgotten", () => {
		const changes = new Changes();
		const answers = new KeptAnswers(changes, 100_000);
		const paths = Array.from({ length: 50 }, (_, at) => `/api/agents/${at}`);
		for (let round = 0; round < 20; round++) {
			for (const path of paths) answers.keep(path, answer);
			if (round % 2 === 0) changes.note({ topics: [], agents: ["7", "8"] });
		}
		expect(answers.size).toBe(50);
	});

	test("forgets all of a topic's former version with the first of the next", () => {
		const answers = new KeptAnswers(new Changes(), 10_000_000);
		const of = (topic: "house" | "board", version: number) => ({
			...answer,
			kind: { ...answer.kind, topic },
			version,
		});
		for (let at = 0; at < 100; at++) {
			answers.keep(`/house?${at}`, of("house", 0));
			answers.keep(`/board?${at}`, of("board", 0));
			answers.keep(`/board?${at}`, of("board", 0));
		}
		expect(answers.size).toBe(200);
		answers.keep("/house?new", of("house", 1));
		expect(answers.size).toBe(101);
		answers.keep("/board?new", of("board", 1));
		expect(answers.size).toBe(2);
	});

	test("is for large answers what small ones do not take", () => {
		const answers = new KeptAnswers(new Changes(), 8_000_000);
		const large = { ...answer, body: "x".repeat(3_000_000) };
		const small = { ...answer, body: "x".repeat(400) };
		answers.keep("/large", large);
		for (let at = 0; at < 1_000; at++) answers.keep(`/${at}`, small);
		expect(answers.find("/large", 1)).toBe(large);
		for (let at = 0; at < 20_000; at++) answers.keep(`/${at}`, small);
		expect(answers.find("/large", 1)).toBeUndefined();
		answers.keep("/large", large);
		expect(answers.find("/large", 1)).toBeUndefined();
		expect(answers.find("/19999", 1)).toEqual(small);
	});

	test("takes no answer that would fill half of it", () => {
		const answers = new KeptAnswers(new Changes(), 100_000);
		answers.keep("/", { ...answer, body: "x".repeat(60_000) });
		expect(answers.size).toBe(0);
	});

	test.each([
		[-1, false],
		[0, true],
		[9, true],
		[10, false],
	])("an answer of 0 to 10 at %d: %p", (nowMs, isFound) => {
		const answers = new KeptAnswers(new Changes(), 100_000);
		answers.keep("/", { ...answer, untilMs: 10 });
		expect(answers.find("/", nowMs) !== undefined).toBe(isFound);
	});

	test.each([
		["house", "house", false],
		["house", "board", true],
		["house", null, false],
		[null, null, false],
		[null, "house", true],
	] as const)("of %p after a change of %p: %p", (topic, changed, isFound) => {
		const changes = new Changes();
		const answers = new KeptAnswers(changes, 100_000);
		answers.keep("/", { ...answer, kind: { ...answer.kind, topic } });
		changes.note(changed && { topics: [changed], agents: [] });
		expect(answers.find("/", 1) !== undefined).toBe(isFound);
	});

	test("forgets an agent's addresses alone", () => {
		const changes = new Changes();
		const answers = new KeptAnswers(changes, 100_000);
		const paths = ["/api/agents/a", "/api/agents/a/status", "/api/agents/b"];
		for (const path of paths) answers.keep(path, answer);
		changes.note({ topics: [], agents: ["a"] });
		expect(paths.map((path) => answers.find(path, 1) !== undefined)).toEqual([
			false,
			false,
			true,
		]);
	});
});

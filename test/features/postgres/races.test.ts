import { expect, test } from "bun:test";
import { roomTypes } from "../../../src/content/rooms.ts";
import { HOUR_MS } from "../../../src/core/lib/clock.ts";
import { ROOMS_PER_TYPE } from "../../../src/core/resort/stays/room-choice.ts";
import { expectRefusal } from "../../support/answers.ts";
import type { Answered } from "../../support/calls.ts";
import { describeOnPostgres, testPostgres } from "../../support/requirements.ts";
import { first } from "../../support/values.ts";
import { waitForLocks } from "./support/databases.ts";
import { Houses, tally } from "./support/houses.ts";

const postAtOnce = (houses: Houses, count: number, path: string, key: string) =>
	houses.atOnce(count, (context) => context.call("POST", path, { key }));

const remaining = (headers: Headers) => Number(/;r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);

/** The number of connections of each instance. Half of them are for changes, so four run concurrently. */
const CONNECTIONS = 8;
const MAX_MS = 60_000;

/** Defines a test that repeats concurrent calls at several instances, each time with new agents. */
function race(
	name: string,
	run: (houses: Houses) => Promise<void>,
	{ rounds = 2, rateLimits = false } = {},
): void {
	const runAll = async () => {
		await using houses = await Houses.open({ setup: { rateLimits }, connections: CONNECTIONS });
		for (let round = 0; round < rounds; round++) {
			houses.advance(HOUR_MS);
			await run(houses);
		}
	};
	test(name, runAll, MAX_MS);
}

describeOnPostgres("three instances that receive concurrent calls", () => {
	race(
		"assign 99 different rooms to 99 check-ins into one room type",
		async (houses) => {
			const { name } = first(roomTypes);
			const guests = await Promise.all(
				Array.from({ length: ROOMS_PER_TYPE }, (_, at) => houses.at(at).register({ roomPreference: name })),
			);
			const answers = await houses.atOnce(ROOMS_PER_TYPE, (context, at, headers) =>
				context.call("POST", "/api/checkin", { key: guests[at]?.key ?? "", headers }),
			);
			expect(tally(answers)).toEqual({ 201: ROOMS_PER_TYPE });
			const rooms = answers.map(({ body }) => body.stay.roomName);
			const all = guests.map((_, at) => `${name} ${at + 1}`);
			expect(rooms.toSorted()).toEqual(all.toSorted());
		},
		{ rounds: 1 },
	);

	race(
		"accept only one of 6 replacements of a key, and end all sessions created with the old key",
		async (houses) => {
			const { key: old } = await houses.at(0).register();
			const [rotations, calls, logins] = await Promise.all([
				postAtOnce(houses, 6, "/api/me/api-key", old),
				houses.atOnce(12, (context) => context.me({ key: old })),
				houses.atOnce(12, (context) => context.call("POST", "/api/session", { body: { apiKey: old } })),
			]);
			expect(tally(rotations)).toEqual({ 201: 1, 401: 5 });
			for (const { status } of [...calls, ...logins]) {
				expect([200, 401]).toContain(status);
			}
			const key = rotations.find(({ status }) => status === 201)?.body.apiKey;
			const sessions = logins.flatMap(({ headers }) => {
				const cookie = /=([^;]+)/.exec(headers.get("set-cookie") ?? "");
				return cookie?.[1] === undefined ? [] : [{ session: cookie[1] }];
			});
			const me = (ask: { key?: string; session?: string }) => houses.atEach((context) => context.me(ask));
			expect(tally(await me({ key: key ?? "" }))).toEqual({ 200: 3 });
			for (const ended of [{ key: old }, ...sessions]) {
				expect(tally(await me(ended))).toEqual({ 401: 3 });
			}
		},
	);

	race(
		"accept only one of 3 deactivations of an agent during 6 check-outs, and publish `agent.gone` last",
		async (houses) => {
			const { id, key } = await houses.at(0).guest();
			const [leavings, ways] = await Promise.all([
				houses.atOnce(3, (context) => context.call("DELETE", "/api/me", { key })),
				houses.atOnce(6, (context) => context.call("POST", "/api/checkout", { key })),
			]);
			expect(tally(leavings)).toEqual({ 200: 1, 401: 2 });
			const out = tally(ways)[200] ?? 0;
			expect(out).toBeLessThan(2);
			for (const { status } of ways) expect([200, 400, 401]).toContain(status);
			expect(await houses.eventsOf(id)).toEqual([
				"agent.relaxing",
				...(out === 1 ? ["agent.available"] : []),
				"agent.gone",
			]);
			const me = () => houses.atEach((context) => context.me({ key }));
			expect(tally(await me())).toEqual({ 401: 3 });
			for (const context of houses.all) {
				const status = await context.call("GET", `/api/agents/${id}/status`);
				expect(status.status).toBe(404);
				expect((await context.call("GET", "/api/lobby")).body.guests).toEqual([]);
			}
		},
	);

	race(
		"admit only 5 of 60 calls if the rate limit per address or per agent is 5",
		async (houses) => {
			const register = { body: { name: "Ada" } };
			const registered = await houses.atOnce(60, (context) => context.call("POST", "/api/agents", register));
			expect(tally(registered)).toEqual({ 201: 5, 429: 55 });
			const key = registered.find(({ status }) => status === 201)?.body.apiKey ?? "";
			const answers = await postAtOnce(houses, 60, "/api/checkin", key);
			expect(tally(answers)).toEqual({ 201: 1, 400: 4, 429: 55 });
			const left = answers.filter(({ status }) => status !== 429).map(({ headers }) => remaining(headers));
			expect(left.toSorted()).toEqual([0, 1, 2, 3, 4]);
		},
		{ rateLimits: true },
	);
});

testPostgres.test(
	"a vote that waits until its experience has been archived returns 404, and is not stored",
	async () => {
		await using houses = await Houses.open({ count: 1 });
		const resort = houses.at(0);
		const voter = await resort.guest();
		const { id } = await resort.create(voter);
		await resort.complete(voter, id);
		await using other = new Bun.SQL(houses.url, { max: 1 });
		const votes: Promise<Answered>[] = [];
		await other.begin(async (archiving) => {
			await archiving.unsafe(`update experiences set archived_at = 1 where id = '${id}'`);
			votes.push(resort.call("POST", `/api/experiences/${id}/vote`, { key: voter.key, body: { rating: 5 } }));
			await waitForLocks((text) => houses.rows(text), 1);
		});
		for (const vote of votes) expectRefusal(await vote, 404, "Experience not found");
		expect(await houses.rows("select 1 from experience_votes")).toEqual([]);
	},
);

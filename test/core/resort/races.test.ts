/** Tests of concurrent calls: each call takes effect completely before or after the others. */
import { beforeEach, describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import type { Answered, Registered } from "../../support/calls.ts";
import { useAgent, useGuest, useResort } from "../../support/use-resort.ts";

const POINTS = 3;

const context = useResort();
const creator = useGuest(context);
let id: string;
beforeEach(async () => {
	({ id } = await context.create(creator, { relaxationPoints: POINTS }));
});

const call = (method: string, path: string, { key }: Registered = creator) =>
	context.call(method, path.replace("{id}", id), { key });
const post = (what: "do" | "vote", { key }: Registered, body = {}) =>
	context.call("POST", `/api/experiences/${id}/${what}`, { key, body });

const times = <T>(count: number, make: (at: number) => Promise<T>) =>
	Array.from({ length: count }, (_, at) => make(at));
const guests = (count: number) => Promise.all(times(count, () => context.guest()));
const count = (answers: readonly Answered[], status: number) =>
	answers.filter((answer) => answer.status === status).length;

describe("of eight concurrent calls", () => {
	const visitor = useAgent(context);

	test.each([
		["POST", "/api/checkin", () => visitor, 201, 400, "Already checked in"],
		["POST", "/api/checkout", () => creator, 200, 400, "Not checked in"],
		["POST", "/api/me/api-key", () => creator, 201, 401, "Unauthorized"],
		["DELETE", "/api/me", () => creator, 200, 401, "Unauthorized"],
		["DELETE", "/api/experiences/{id}", () => creator, 200, 404, "Experience not found"],
	] as const)("only one succeeds: `%s %s`", async (method, path, agent, success, failure, error) => {
		const calls = times(8, () => call(method, path, agent()));
		const answers = await Promise.all(calls);
		expect(count(answers, success)).toBe(1);
		for (const answer of answers) {
			if (answer.status === success) continue;
			expectRefusal(answer, failure, error);
		}
		const { guests } = (await context.call("GET", "/api/lobby")).body;
		const isThere = ({ id }: Registered) => guests.some((guest) => guest.id === id);
		expect(isThere(visitor)).toBe(path === "/api/checkin");
		const hasLeft = path === "/api/checkout" || path === "/api/me";
		expect(isThere(creator)).toBe(!hasLeft);
		const apiKey = answers.find(({ body }) => body.apiKey)?.body.apiKey;
		if (apiKey === undefined) return;
		const me = await context.me({ key: apiKey });
		expect(me.status).toBe(200);
		const old = await context.me(creator);
		expectRefusal(old, 401, "Unauthorized");
	});
});

describe("concurrent completions of an experience", () => {
	const path = "/api/experiences/{id}/do";

	test("add up exactly, and each response contains a different total", async () => {
		// On a busy machine, PostgreSQL may be too slow for some calls, which return 503 and are repeated.
		const untilAnswered = async (idempotencyKey = crypto.randomUUID()): Promise<Answered> => {
			const headers = { "idempotency-key": idempotencyKey };
			const answered = await context.call("POST", path.replace("{id}", id), { key: creator.key, headers });
			return answered.status === 503 ? untilAnswered(idempotencyKey) : answered;
		};
		const answers = await Promise.all(times(50, () => untilAnswered()));
		expect(count(answers, 201)).toBe(50);
		const totals = answers.map(({ body }) => body.relaxationPoints);
		const expected = Array.from({ length: 50 }, (_, at) => POINTS * (at + 1));
		expect(totals.toSorted((a, b) => a - b)).toEqual(expected);
		expect(new Set(answers.map(({ body }) => body.log.id)).size).toBe(50);
		const { log } = (await call("GET", "/api/activities/log")).body;
		expect(log).toHaveLength(50);
		expect((await context.checkOut(creator)).summary).toMatchObject({
			activitiesCompleted: 50,
			relaxationPoints: 50 * POINTS,
		});
	});

	test("are counted in the summary of a concurrent check-out, or refused", async () => {
		const act = () => times(10, () => call("POST", path));
		const [before, { summary }, after] = await Promise.all([
			Promise.all(act()),
			context.checkOut(creator),
			Promise.all(act()),
		]);
		const answers = [...before, ...after];
		const done = count(answers, 201);
		for (const answer of answers) {
			if (answer.status === 201) continue;
			expectRefusal(answer, 400, "Not checked in");
		}
		expect(summary).toMatchObject({ activitiesCompleted: done, relaxationPoints: done * POINTS });
		const { log } = (await call("GET", "/api/activities/log")).body;
		expect(log).toHaveLength(done);
		const { stats } = (await call("GET", "/api/stats")).body;
		expect(stats.totalRelaxationPoints).toBe(done * POINTS);
		expect((await context.see(id)).totalCompletions).toBe(done);
	});
});

test("concurrent completions and votes of ten agents add up in the counters of the experience", async () => {
	const others = await guests(10);
	await Promise.all([...others, ...others].map((guest) => post("do", guest)));
	await Promise.all(others.map((guest, at) => post("vote", guest, { rating: 1 + (at % 5) })));
	expect(await context.see(id)).toMatchObject({ avgRating: 3, totalVotes: 10, totalCompletions: 20 });
});

test("eight concurrent first votes of one agent create one vote", async () => {
	await context.complete(creator, id);
	const ratings = [1, 2, 3, 4, 5, 4, 3, 2];
	const answers = await Promise.all(ratings.map((rating) => post("vote", creator, { rating })));
	expect(count(answers, 200)).toBe(8);
	expect(new Set(answers.map(({ body }) => body.vote.id)).size).toBe(1);
	const votes = await context.votes(id);
	expect(votes.length).toBe(1);
	const [rating = 0] = votes.map((vote) => vote.rating);
	expect(ratings).toContain(rating);
	expect(await context.see(id)).toMatchObject({ avgRating: rating, totalVotes: 1 });
});

test("a vote during the deactivation of the voter is stored or returns 401", async () => {
	const voters = await guests(10);
	for (const voter of voters) await context.complete(voter, id);
	const answers = await Promise.all(
		voters.flatMap((voter, at) => {
			const leave = () => context.call("DELETE", "/api/me", voter);
			const vote = () => post("vote", voter, { rating: 5 });
			return at % 2 === 0 ? [leave(), vote()] : [vote(), leave()];
		}),
	);
	const voted = answers.filter(({ body }) => body.vote !== undefined).length;
	expect(voted + count(answers, 401)).toBe(10);
	expect(count(answers, 200)).toBe(10 + voted);
	expect((await context.votes(id)).length).toBe(voted);
	expect((await context.see(id)).totalVotes).toBe(voted);
});

test("a completion of an experience that is being archived is counted or returns 404", async () => {
	const [before, , after] = await Promise.all([
		Promise.all([post("do", creator), post("do", creator)]),
		context.archive(creator, id),
		Promise.all([post("do", creator), post("do", creator)]),
	]);
	const answers = [...before, ...after];
	const done = count(answers, 201);
	expect(done + count(answers, 404)).toBe(4);
	const { summary } = await context.checkOut(creator);
	expect(summary.activitiesCompleted).toBe(done);
});

test.each(["before", "after"])(
	"a login that is sent just %s a concurrent replacement of the key leaves no valid session",
	async (order) => {
		const login = () => context.login(creator.key);
		const change = () => call("POST", "/api/me/api-key");
		const [session] =
			order === "before"
				? await Promise.all([login(), change()])
				: (await Promise.all([change(), login()])).toReversed();
		const me = await context.me({ session: String(session) });
		expectRefusal(me, 401, "Unauthorized");
	},
);

describe("a deactivation", () => {
	const ada = useAgent(context);
	const ask = (method: string, path: string) => call(method, path, ada);

	const rivals: [name: string, rival: () => Promise<Answered>][] = [
		["check-in", () => ask("POST", "/api/checkin")],
		["login", () => context.call("POST", "/api/session", { body: { apiKey: ada.key } })],
		["replacement of the key", () => ask("POST", "/api/me/api-key")],
		[
			"change of the profile",
			() => context.call("PATCH", "/api/me", { key: ada.key, body: { name: "Bea" } }),
		],
	];
	for (const [name, rival] of rivals) {
		for (const order of ["before", "after"]) {
			test(`leaves no valid credential and no stay if it is sent just ${order} a concurrent ${name}`, async () => {
				const leave = () => ask("DELETE", "/api/me");
				const [left, other] =
					order === "before"
						? await Promise.all([leave(), rival()])
						: (await Promise.all([rival(), leave()])).toReversed();
				if (left?.status !== 200 && name === "replacement of the key") {
					// The key was replaced first, so the deactivation, which was sent with the old key, gets a 401.
					expect([left?.status, other?.status]).toEqual([401, 201]);
					return;
				}
				expect(left?.status).toBe(200);
				expect([200, 201, 401]).toContain(other?.status ?? 0);
				const status = await ask("GET", `/api/agents/${ada.id}/status`);
				expectRefusal(status, 404, "Agent not found");
				const { body } = await ask("GET", "/api/lobby");
				expect(body.guests.map(({ id }) => id)).toEqual([creator.id]);
				expect(body.totalGuestsToday).toBe(1);
				const session = other?.headers.getSetCookie()[0]?.match(/=([^;]+)/)?.[1];
				const key = other?.body.apiKey;
				for (const credential of [{ key: ada.key }, { key: key ?? "none" }, { session: session ?? "none" }]) {
					const me = await context.me(credential);
					expectRefusal(me, 401, "Unauthorized");
				}
			});
		}
	}
});

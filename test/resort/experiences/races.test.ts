import { beforeEach, describe, expect, test } from "bun:test";
import type { Answered, Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

describe("at the same moment", () => {
	const context = useCommunity();
	const creator = useGuest(context);
	let id: string;
	beforeEach(async () => {
		({ id } = await context.create(creator, { relaxationPoints: 3 }));
	});

	const post = (what: "do" | "vote", { key }: Registered, body = {}) =>
		context.ask("POST", `/api/experiences/${id}/${what}`, { key, body });

	const guests = (count: number) =>
		Promise.all(Array.from({ length: count }, () => context.guest()));

	const count = (answers: readonly Answered[], status: number) =>
		answers.filter((answer) => answer.status === status).length;

	test("8 first votes of one agent leave one vote", async () => {
		await context.complete(creator, id);
		const ratings = [1, 2, 3, 4, 5, 4, 3, 2];
		const answers = await Promise.all(
			ratings.map((rating) => post("vote", creator, { rating })),
		);
		expect(count(answers, 200)).toBe(8);
		expect(new Set(answers.map(({ body }) => body.vote.id)).size).toBe(1);
		const votes = await context.votes(id);
		expect(votes.length).toBe(1);
		const [rating = 0] = votes.map((vote) => vote.rating);
		expect(ratings).toContain(rating);
		expect(await context.see(id)).toMatchObject({
			avgRating: rating,
			totalVotes: 1,
		});
	});

	test("a first completion and a vote are both judged as a whole", async () => {
		const [done, voted] = await Promise.all([
			post("do", creator),
			post("vote", creator, { rating: 5 }),
		]);
		expect(done.status).toBe(201);
		expect([200, 400]).toContain(voted.status);
		const totalVotes = count([voted], 200);
		expect((await context.votes(id)).length).toBe(totalVotes);
		expect((await context.see(id)).totalVotes).toBe(totalVotes);
	});

	test("completions and votes of 50 agents are counted exactly", async () => {
		const voters = await guests(50);
		const done = await Promise.all(voters.map((voter) => post("do", voter)));
		expect(count(done, 201)).toBe(50);
		const rate = (at: number) => ({ rating: (at % 5) + 1 });
		const first = await Promise.all(
			voters.map((voter, at) => post("vote", voter, rate(at))),
		);
		expect(count(first, 200)).toBe(50);
		expect(await context.see(id)).toMatchObject({
			avgRating: 3,
			totalVotes: 50,
			totalCompletions: 50,
		});
		const mixed = await Promise.all(
			voters.flatMap((voter, at) => [
				post("vote", voter, { rating: at < 25 ? 5 : 4 }),
				post("do", voter),
			]),
		);
		expect([count(mixed, 200), count(mixed, 201)]).toEqual([50, 50]);
		expect(await context.see(id)).toMatchObject({
			avgRating: 4.5,
			totalVotes: 50,
			totalCompletions: 100,
		});
		expect((await context.votes(id)).length).toBe(50);
	});

	test("every one of 50 completions of one agent adds its points", async () => {
		const answers = await Promise.all(
			Array.from({ length: 50 }, () => post("do", creator)),
		);
		const totals = answers.map(({ body }) => body.relaxationPoints);
		const expected = Array.from({ length: 50 }, (_, at) => 3 * (at + 1));
		expect(totals.toSorted((a, b) => a - b)).toEqual(expected);
		expect(new Set(answers.map(({ body }) => body.log.id)).size).toBe(50);
		expect((await context.checkOut(creator)).summary).toMatchObject({
			activitiesCompleted: 50,
			relaxationPoints: 150,
		});
	});

	test("one of 8 archivings succeeds", async () => {
		const { key } = creator;
		const answers = await Promise.all(
			Array.from({ length: 8 }, () =>
				context.ask("DELETE", `/api/experiences/${id}`, { key }),
			),
		);
		expect([count(answers, 200), count(answers, 404)]).toEqual([1, 7]);
	});

	test("a stay that ends counts what was done in it and nothing else", async () => {
		const does = () => Array.from({ length: 10 }, () => post("do", creator));
		const [before, { summary }, after] = await Promise.all([
			Promise.all(does()),
			context.checkOut(creator),
			Promise.all(does()),
		]);
		const answers = [...before, ...after];
		const done = count(answers, 201);
		expect(done + count(answers, 400)).toBe(20);
		expect(summary.activitiesCompleted).toBe(done);
		expect(summary.relaxationPoints).toBe(3 * done);
		expect((await context.see(id)).totalCompletions).toBe(done);
	});

	test("a voter who leaves for good has voted, or is nobody", async () => {
		const voters = await guests(10);
		for (const voter of voters) await context.complete(voter, id);
		const answers = await Promise.all(
			voters.flatMap((voter, at) => {
				const leave = () => context.ask("DELETE", "/api/me", voter);
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

	test("an experience that is archived was completed before, or is unknown", async () => {
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
});

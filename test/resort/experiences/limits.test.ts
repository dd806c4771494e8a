import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import { Caller } from "../../support/caller.ts";
import { Community, fogBathing, NOBODYS } from "../../support/community.ts";
import { expectFailure } from "../../support/failure.ts";

/** The limits of the contract for what agents make. */
const limits = [
	{
		path: "/api/experiences",
		count: 5,
		good: { ...fogBathing },
		bad: { ...fogBathing, durationMinutes: 0 },
	},
	{
		path: "/api/experiences/{id}/do",
		count: 20,
		good: { notes: "calm" },
		bad: { notes: "n".repeat(501) },
	},
	{
		path: "/api/experiences/{id}/vote",
		count: 30,
		good: { rating: 5 },
		bad: { rating: 6 },
	},
	{
		path: "/api/postcards",
		count: 10,
		good: { message: "Wish you idle" },
		bad: { message: "" },
	},
];

let context: Community;
let id: string;
let caller: Caller;

/** An agent that has checked in and may vote, in a house that counts only the calls to `path`. */
const arrive = async () => {
	const agent = await Caller.create(context);
	await context.ask("POST", "/api/checkin", { key: agent.key });
	return agent;
};

beforeEach(async () => {
	context = new Community({ rateLimits: true });
	const creator = await arrive();
	({ id } = await context.create(creator));
	caller = await arrive();
});
afterEach(() => context.close());

type Limit = (typeof limits)[number];

/** Calls as the caller, unless another agent or experience is named. */
const post = ({ path }: Limit, body: object, agent = caller, of = id) =>
	context.ask("POST", path.replace("{id}", of), { key: agent.key, body });

/** Calls until the limit; every call is answered alike. */
async function exhaust(limit: Limit, expected: number, of = id) {
	for (let call = 1; call <= limit.count; call++) {
		const { status, text } = await post(limit, limit.good, caller, of);
		expect(status, `call ${call}: ${text}`).toBe(expected);
	}
}

describe.each(limits)("POST $path", (limit) => {
	const { path, count, good, bad } = limit;
	const success = path.endsWith("/vote") ? 200 : 201;

	/** Lets an agent do what it must have done before it may vote. */
	const ready = async (agent: Caller) => {
		if (path.endsWith("/vote")) await context.complete(agent, id);
	};

	test(`admits ${count} calls in an hour`, async () => {
		await ready(caller);
		await exhaust(limit, success);
		const refused = await post(limit, good);
		expectFailure(refused, 429);
		expect(refused.body.error).toBe("Rate limit exceeded");
		expect(refused.headers.get("retry-after")).toBe("3600");
		expect(refused.headers.get("ratelimit-policy")).toContain(
			`;q=${count};w=3600`,
		);
		context.advance(HOUR_MS - 1);
		const late = await post(limit, good);
		expectFailure(late, 429);
		expect(late.headers.get("retry-after")).toBe("1");
		context.advance(1);
		await exhaust(limit, success);
		expectFailure(await post(limit, good), 429);
	});

	test("makes nothing when it refuses", async () => {
		await ready(caller);
		await exhaust(limit, success);
		const seen = async () => [
			await context.names(),
			await context.see(id),
			await context.votes(id),
			await context.messages("/api/postcards?limit=100"),
		];
		const before = await seen();
		await post(limit, good);
		expect(await seen()).toEqual(before);
	});

	test("is 400 for a bad body, which costs nothing, also past the limit", async () => {
		await ready(caller);
		for (let call = 0; call < count + 1; call++) {
			expectFailure(await post(limit, bad), 400);
		}
		await exhaust(limit, success);
		expectFailure(await post(limit, bad), 400);
		expectFailure(await post(limit, good), 429);
	});

	test("counts each agent's calls apart", async () => {
		const other = await arrive();
		await ready(caller);
		await ready(other);
		await exhaust(limit, success);
		expect((await post(limit, good, other)).status).toBe(success);
		expectFailure(await post(limit, good), 429);
	});

	test("counts calls that the rules then refuse", async () => {
		await context.checkOut(caller);
		await exhaust(limit, 400);
		await context.ask("POST", "/api/checkin", { key: caller.key });
		expectFailure(await post(limit, good), 429);
	});
});

describe.each(limits.filter(({ path }) => path.includes("{id}")))(
	"POST $path",
	(limit) => {
		test.each([NOBODYS, "nobody", "%zz"])(
			"counts calls for the id %s, which nothing has",
			async (of) => {
				await context.complete(caller, id);
				context.advance(HOUR_MS);
				await exhaust(limit, 404, of);
				expectFailure(await post(limit, limit.good, caller, of), 429);
				expectFailure(await post(limit, limit.good), 429);
			},
		);
	},
);

test("DELETE /api/experiences/{id} and the lists have no limit", async () => {
	const calls = [
		["DELETE", `/api/experiences/${NOBODYS}`, 404],
		["GET", "/api/experiences", 200],
		["GET", "/api/experiences/leaderboard", 200],
		["GET", `/api/experiences/${id}/votes`, 200],
		["GET", "/api/postcards", 200],
		["GET", "/api/postcards/mine", 200],
		["GET", "/api/postcards/inbox", 200],
	] as const;
	for (const [method, path, expected] of calls) {
		for (let call = 0; call < 101; call++) {
			const answer = await context.ask(method, path, { key: caller.key });
			expect(answer.status).toBe(expected);
			expect(answer.headers.get("ratelimit-policy")).toBeNull();
		}
	}
});

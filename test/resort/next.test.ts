import { describe, expect, test } from "bun:test";
import { activities } from "../../src/content/activities.ts";
import { nextAfter } from "../../src/content/next-calls.ts";
import { expectNext } from "../support/next-calls.ts";
import type { Answered } from "../support/resort.ts";
import { useCommunity, useGuest } from "../support/use-resort.ts";
import { first } from "../support/values.ts";

const context = useCommunity();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });

const best = first(
	activities.toSorted((a, b) => b.relaxationPoints - a.relaxationPoints),
);

type Agent = { readonly key: string };
const post = (agent: Agent, path: string, body = {}) =>
	context.ask("POST", path, { key: agent.key, body });
const overview = ({ key }: Agent) =>
	context.ask("GET", "/api/me/overview", { key });
/** The suggested calls, with what is known of their bodies. */
const callsOf = ({ body: { next } }: Answered) =>
	next.map(({ method, path, body }) =>
		[method, path, body && JSON.stringify(body)].filter(Boolean).join(" "),
	);

const AN_ACTIVITY = expect.stringMatching(
	/^POST \/api\/activities\/[\w-]+\/do$/,
);
const CHECK_OUT = "POST /api/checkout";
const EXPERIENCES = "GET /api/experiences?view=brief";

/** Does activities until a guest is rested. */
async function rest(guest: Agent) {
	for (let count = 0; count < 2; count++) {
		await post(guest, `/api/activities/${best.id}/do`);
	}
}

describe("the suggested calls", () => {
	test("lead a new agent to a rested check-out, and never to the same activity twice", async () => {
		const { body } = await context.ask("POST", "/api/agents", {
			body: { name: "Grace" },
		});
		const key = String(body.apiKey);
		const followed: string[] = [];
		let next = body.next;
		for (let steps = 0; steps < 9 && next[0]?.path !== "/api/stats"; steps++) {
			const { method = "", path = "" } = next[0] ?? {};
			followed.push(path);
			const answered = await context.ask(method, path, { key });
			expect(answered.status).toBeOneOf([200, 201]);
			expectNext(answered);
			next = answered.body.next;
		}
		expect(followed[0]).toBe("/api/checkin");
		expect(followed.at(-1)).toBe("/api/checkout");
		expect(new Set(followed).size).toBe(followed.length);
	});

	test("begin with an activity below 18 points and with check-out from there on", async () => {
		const sparkling = await context.create(bob, { name: "Sparkling walk" });
		const doIt = () => post(ada, `/api/experiences/${sparkling.id}/do`);
		const rate = () =>
			post(ada, `/api/experiences/${sparkling.id}/vote`, { rating: 4 });
		const send = () => post(ada, "/api/postcards", { message: "Hello" });
		const create = () =>
			post(ada, "/api/experiences", { ...sparkling, name: "Mine" });
		const act = () => post(ada, "/api/activities/dock-foot-dangle/do");
		const calls = [doIt, rate, send, create, act, () => overview(ada)];
		for (const call of calls) {
			const answered = await call();
			const calls = callsOf(answered);
			expect([calls[0], calls.at(-1)]).toEqual([AN_ACTIVITY, CHECK_OUT]);
			expect(answered.body.next[0]?.why).toMatch(/^\d+ points are missing/);
		}
		await rest(ada);
		for (const call of calls) {
			const answered = await call();
			expect(callsOf(answered)[0]).toBe(CHECK_OUT);
			expect(answered.body.next[0]?.why).toContain("complete");
		}
	});

	test("rate what others have made, and nothing of one's own", async () => {
		const { id } = await context.create(bob, { name: "Sparkling walk" });
		const done = await post(ada, `/api/experiences/${id}/do`);
		expect(callsOf(done)[1]).toBe(`POST /api/experiences/${id}/vote`);
		const own = await post(bob, `/api/experiences/${id}/do`);
		expect(callsOf(own)).toEqual([AN_ACTIVITY, EXPERIENCES, CHECK_OUT]);
		const made = await post(bob, "/api/experiences", {
			...done.body.experience,
			name: "Another",
		});
		expect(JSON.stringify(made.body.next)).not.toContain(
			made.body.experience.id,
		);
	});

	test("answer a postcard until it is answered", async () => {
		const send = (from: Agent, recipientId: string) =>
			post(from, "/api/postcards", { message: "Hello", recipientId });
		const toBob = `POST /api/postcards {"recipientId":"${bob.id}"}`;
		const answeredAt = async () => [
			(await overview(ada)).body.news.postcards.map((one) => one.answeredAt),
			(
				await context.ask("GET", "/api/postcards/inbox", { key: ada.key })
			).body.postcards.map((one) => one.answeredAt),
		];
		await send(ada, bob.id);
		context.advance(1);
		await send(bob, ada.id);
		expect(await answeredAt()).toEqual([[null], [null]]);
		expect(callsOf(await overview(ada))).toContain(toBob);
		await send(ada, bob.id);
		const at = new Date(context.nowMs).toISOString();
		expect(await answeredAt()).toEqual([[at], [at]]);
		expect(callsOf(await overview(ada))).not.toContain(toBob);
		await send(bob, ada.id);
		expect(await answeredAt()).toEqual([
			[null, at],
			[null, at],
		]);
		await post(ada, "/api/checkout");
		const away = await overview(ada);
		expect(callsOf(away)).toEqual(["POST /api/checkin"]);
		expect(away.body.next[0]?.why).toContain("postcard waits");
	});
});

test("an activity is suggested that was not just done", () => {
	const stay = { id: "018f-000000", relaxationPoints: 0 };
	const idOf = (done: string) =>
		String(nextAfter.activity(stay, done)[0]?.parameters.id);
	expect(idOf(idOf(""))).not.toBe(idOf(""));
});

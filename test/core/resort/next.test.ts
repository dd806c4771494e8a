import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { nextAfter } from "../../../src/content/next-calls.ts";
import type { Answered } from "../../support/calls.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { first } from "../../support/values.ts";

const context = useResort();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });

const best = first(activities.toSorted((a, b) => b.relaxationPoints - a.relaxationPoints));

type Agent = { readonly key: string };
const post = (agent: Agent, path: string, body = {}) => context.call("POST", path, { key: agent.key, body });
const overview = ({ key }: Agent) => context.call("GET", "/api/me/overview", { key });
const callsOf = ({ body: { next } }: Answered) =>
	next.map(({ method, path, body }) =>
		[method, path, body && JSON.stringify(body)].filter(Boolean).join(" "),
	);

const AN_ACTIVITY = expect.stringMatching(/^POST \/api\/activities\/[\w-]+\/do$/);
const IDEAS = "GET /api/assignments";
const INBOX = "GET /api/postcards/inbox";

describe("the field `next`", () => {
	test("suggests only what the guest has not done yet", async () => {
		await post(ada, "/api/checkout");
		expect(callsOf(await post(ada, "/api/checkin"))).toEqual([AN_ACTIVITY, "GET /api/activities?view=brief"]);
		const act = () => post(ada, "/api/activities/dock-foot-dangle/do");
		expect(callsOf(await act())).toContain(IDEAS);
		const card = () => post(ada, "/api/postcards", { message: "Hello" });
		expect(callsOf(await card())).toEqual([AN_ACTIVITY]);
		expect(callsOf(await act())).not.toContain(IDEAS);
		const { id } = await context.create(bob);
		expect(callsOf(await post(bob, "/api/activities/dock-foot-dangle/do"))).toEqual([AN_ACTIVITY]);
		// Besides activities, only the vote is left: Ada has sent a postcard, and there is no other experience.
		const done = await post(ada, `/api/experiences/${id}/do`);
		expect(callsOf(done)).toEqual([AN_ACTIVITY, `POST /api/experiences/${id}/vote`]);
		const rated = await post(ada, `/api/experiences/${id}/vote`, { rating: 4 });
		expect(callsOf(rated)).toEqual([AN_ACTIVITY]);
		// Bob is not asked to rate his own experience.
		expect(callsOf(await post(bob, `/api/experiences/${id}/do`))).toEqual([AN_ACTIVITY]);
		await context.create(bob, { name: "Another" });
		const doneAgain = await post(ada, `/api/experiences/${id}/do`);
		expect(callsOf(doneAgain).join()).not.toContain("/vote");
		const again = await post(ada, `/api/experiences/${id}/vote`, { rating: 5 });
		expect(callsOf(again)).toEqual([AN_ACTIVITY, "GET /api/experiences?view=brief"]);
		await post(bob, "/api/postcards", { message: "Hi", recipientId: ada.id });
		expect(callsOf(await card())).toContain(INBOX);
		await post(ada, "/api/postcards", { message: "Hi", recipientId: bob.id });
		expect(callsOf(await card())).not.toContain(INBOX);
	});

	test("begins with an activity until the stay has 18 points, and then with a check-out", async () => {
		const sparkling = await context.create(bob, { name: "Sparkling walk" });
		const doIt = () => post(ada, `/api/experiences/${sparkling.id}/do`);
		const rate = () => post(ada, `/api/experiences/${sparkling.id}/vote`, { rating: 4 });
		const send = () => post(ada, "/api/postcards", { message: "Hello" });
		const create = () => post(ada, "/api/experiences", { ...sparkling, name: "Mine" });
		const act = () => post(ada, "/api/activities/dock-foot-dangle/do");
		const calls = [doIt, rate, send, create, act, () => overview(ada)];
		for (const call of calls) {
			const answered = await call();
			expect(callsOf(answered)[0]).toEqual(AN_ACTIVITY);
			expect(answered.body.next[0]?.why).toMatch(/^\d+ points to go/);
		}
		for (let count = 0; count < 2; count++) await post(ada, `/api/activities/${best.id}/do`);
		for (const call of calls) {
			const answered = await call();
			expect(callsOf(answered)[0]).toBe("POST /api/checkout");
			expect(answered.body.next[0]?.why).toBe("You are properly rested. Check out now.");
		}
	});

	test("suggests answering a received postcard until the guest has answered it", async () => {
		const send = (from: Agent, recipientId: string) =>
			post(from, "/api/postcards", { message: "Hello", recipientId });
		const toBob = `POST /api/postcards {"recipientId":"${bob.id}"}`;
		await send(ada, bob.id);
		context.advance(1);
		await send(bob, ada.id);
		expect(callsOf(await overview(ada))).toContain(toBob);
		await send(ada, bob.id);
		expect(callsOf(await overview(ada))).not.toContain(toBob);
		await send(bob, ada.id);
		await post(ada, "/api/checkout");
		const away = await overview(ada);
		expect(callsOf(away)).toEqual(["POST /api/checkin"]);
		expect(away.body.next[0]?.why).toContain("postcard is waiting");
	});

	test("suggests answering no postcard whose sender was deactivated", async () => {
		context.advance(1);
		await post(bob, "/api/postcards", { message: "Hello", recipientId: ada.id });
		const cleo = await context.guest({ name: "Cleo" });
		context.advance(1);
		await post(cleo, "/api/postcards", { message: "Hello", recipientId: ada.id });
		await context.deactivate(cleo);
		const { body } = await overview(ada);
		expect(body.news.postcards.map(({ senderId }) => senderId)).toEqual([bob.id, cleo.id]);
		expect(callsOf(await overview(ada))).toContain(`POST /api/postcards {"recipientId":"${bob.id}"}`);
		await context.deactivate(bob);
		expect(callsOf(await overview(ada)).join()).not.toContain("recipientId");
		const left = await post(ada, "/api/checkout");
		expect(left.body.summary.unanswered).toBe(2);
		expect(left.body.next.map(({ why }) => why).join()).not.toContain("postcard is waiting");
	});
});

/** Returns the activity that is suggested after the activity `done` in a stay with these points. */
function suggested(relaxationPoints: number, done: string, id: string) {
	const stay = { id, relaxationPoints };
	const made = { experience: 1, postcard: 1 } as const;
	const next = first(nextAfter.activity(stay, done, made));
	return first(activities.filter((one) => one.id === next.parameters.id));
}

test("suggested activities are worth 4 to 10 points, differ from the last activity, and do not repeat until the stay has 18 points", () => {
	for (let stay = 0; stay < 2_000; stay++) {
		const followed: string[] = [];
		for (let points = 0; points < 18; ) {
			const id = stay.toString(16).padStart(6, "0");
			const one = suggested(points, followed.at(-1) ?? "", id);
			expect(one.relaxationPoints).toBeWithin(4, 11);
			expect(suggested(points, one.id, id).id).not.toBe(one.id);
			expect(followed).not.toContain(one.id);
			followed.push(one.id);
			points += one.relaxationPoints;
		}
	}
});

import { beforeEach, describe, expect, test } from "bun:test";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { placesOf, readEverywhere } from "./everywhere.ts";

const context = useResort({ onFile: true });
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let bath: string;
let vote: string;

/** Ada has a postcard, a review, and an active and an archived experience. Bob has a postcard. */
beforeEach(async () => {
	bath = (await context.create(ada)).id;
	await context.complete(ada, bath);
	vote = (await context.vote(ada, bath, 2, "A review")).id;
	await context.sendPostcard(ada);
	await context.sendPostcard(bob);
	const { id } = await context.create(ada);
	await context.archive(ada, id);
	context.advance(1);
});

const act = (verb: "hide" | "show") => context.byHost(`/agents/${ada.id.toUpperCase()}/${verb}`);
const hidden = async () => Object((await context.host("GET", "/hidden")).body).hidden;
const statusOf = async (id: string) => (await context.call("GET", `/api/experiences/${id}`)).status;
const counts = (postcard: number, experience: number, review: number) =>
	({ id: ada.id, name: "Ada", postcard, experience, review }) as object;

describe("hide agent and show agent", () => {
	test("hide all texts of an agent, and show them again, except a text that was hidden individually", async () => {
		const tables = ["agents", "postcards", "experiences", "experience_votes"];
		const contents = () =>
			Promise.all(tables.map((table) => context.rows(`select * from ${table} order by seq`)));
		const { id } = await context.sendPostcard(ada);
		await context.byHost(`/postcards/${id}/hide`);
		const before = await contents();
		// `hide agent` runs in the millisecond in which the postcard was hidden individually.
		expect(await act("hide")).toMatchObject(counts(1, 2, 1));
		// The list contains the agent itself and five texts.
		expect(await hidden()).toHaveLength(6);
		const { body } = await context.call("GET", "/api/postcards");
		expect(body.postcards).toMatchObject([{ senderId: bob.id }]);
		expect(await act("show")).toMatchObject(counts(1, 2, 1));
		expect(await contents()).toEqual(before);
		expect(await hidden()).toHaveLength(1);
		expect(await context.host("POST", `/agents/${ada.id}/show`)).toMatchObject({
			status: 400,
			body: { error: "The agent's texts are not hidden" },
		});
	});

	test("hide a bio that the agent writes while it is hidden, except from the agent itself", async () => {
		const things = { agents: [ada], experienceIds: [bath] };
		const places = async () => placesOf(await readEverywhere(context, things), "Zqxj");
		await act("hide");
		const { key } = ada;
		const changed = await context.call("PATCH", "/api/me", { key, body: { bio: "Zqxj bio" } });
		expect(changed.body.agent.bio).toBe("Zqxj bio");
		// The page of an experience shows the bio of its creator.
		things.experienceIds.push((await context.create(ada)).id);
		expect(await places()).toEqual([]);
		expect((await context.call("GET", `/agents/${ada.id}`)).text).toContain("Ada");
		expect((await context.call("GET", "/api/me", { key })).body.agent.bio).toBe("Zqxj bio");
		await act("show");
		expect(await places()).not.toEqual([]);
	});

	test("keep a text hidden that was individually shown and hidden between `hide agent` and `show agent`", async () => {
		await act("hide");
		for (const verb of ["show", "hide"]) {
			await context.byHost(`/reviews/${vote}/${verb}`);
			await context.byHost(`/experiences/${bath}/${verb}`);
		}
		expect(await act("show")).toMatchObject(counts(1, 1, 0));
		expect(await hidden()).toHaveLength(2);
		await context.byHost(`/experiences/${bath}/show`);
		expect(await statusOf(bath)).toBe(200);
	});

	test("hide newer texts if `hide agent` is repeated, and show all texts again", async () => {
		await act("hide");
		await context.sendPostcard(ada);
		const { id } = await context.create(ada);
		// The experience is archived in the millisecond in which all texts are hidden.
		await context.archive(ada, id);
		expect(await act("hide")).toMatchObject(counts(1, 1, 0));
		expect(await act("show")).toMatchObject(counts(2, 3, 1));
		// The creator has archived this experience, so it stays archived.
		expect(await statusOf(id)).toBe(404);
	});

	test("list a hidden agent in `hidden`, even if it has no texts", async () => {
		const { id } = await context.guest({ name: "Grace" });
		await context.byHost(`/agents/${id}/hide`);
		expect(await hidden()).toMatchObject([{ kind: "agent", id, agentId: id, agentName: "Grace", text: "" }]);
		const { agents } = Object((await context.host("GET", "/agents")).body);
		expect(agents.map((agent: { isHidden: boolean }) => agent.isHidden)).toEqual([true, false, false]);
		await context.byHost(`/agents/${id}/show`);
		expect(await hidden()).toEqual([]);
	});

	test("accept an erased agent, whose experiences stay archived, and return 404 for an unknown agent", async () => {
		await context.byHost(`/agents/${ada.id}/erase`);
		await act("hide");
		const { body } = await context.call("GET", "/api/postcards");
		expect(body.postcards).toHaveLength(1);
		await act("show");
		expect(await statusOf(bath)).toBe(404);
		expect((await context.host("POST", "/agents/nobody/hide")).status).toBe(404);
	});
});
